package sqlmap

import (
	"context"
	"strconv"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/bind"
	"moraine/sqlmap/function"
	"moraine/sqlmap/parse"
)

// extended runs the work of one message of the extended protocol. An error makes the block a failed one, or undoes the implicit
// transaction that the messages up to Sync are.
func (s *Session) extended(ctx context.Context, out ResultWriter, work func() error) error {
	defer s.enter(ctx, out)()
	if err := work(); err != nil {
		s.fail()
		return cause(ctx, err)
	}
	return nil
}

// ensureTransaction begins the implicit transaction of the messages up to Sync.
func (s *Session) ensureTransaction(statement *parse.Statement) {
	if s.transaction == nil && controlOf(statement) == nil {
		s.begin(false)
	}
}

// Parse makes a prepared statement; parameter types of 0 are inferred.
func (s *Session) Parse(ctx context.Context, name, query string, parameterTypes []uint32) error {
	return s.extended(ctx, nil, func() error {
		query, err := s.decodeText(query)
		if err != nil {
			return err
		}
		statements, err := parse.Parse(query)
		if err != nil {
			return err
		}
		if len(statements) > 1 {
			return pgerror.New(pgerror.SyntaxError, "cannot insert multiple commands into a prepared statement")
		}
		if len(statements) == 0 {
			return s.addStatement(&preparedStatement{name: name, text: query, empty: true})
		}
		if err := s.admit(&statements[0]); err != nil {
			return err
		}
		if err := s.freeName(name); err != nil {
			return err
		}
		return s.parse(name, query, statements[0], parameterTypes)
	})
}

func (s *Session) parse(name, query string, statement parse.Statement, parameterTypes []uint32) error {
	made := &preparedStatement{name: name, text: query, statement: statement}
	s.ensureTransaction(&statement)
	if controlOf(&statement) == nil {
		if err := s.startStatement(); err != nil {
			return err
		}
		err := s.lookUp(func() error {
			command, err := s.prepare(statement, parameterTypes)
			if err != nil {
				return err
			}
			made.parameters, made.columns = command.parameters, command.columns
			made.bound, made.moment = command, s.moment
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.addStatement(made)
}

// DescribeStatement gives the types of the parameters and the fields of the result, nil without one.
func (s *Session) DescribeStatement(ctx context.Context, name string) (parameterTypes []uint32, fields []Field, err error) {
	err = s.extended(ctx, nil, func() error {
		prepared, err := s.findStatement(name)
		if err != nil {
			return err
		}
		parameterTypes = oids(prepared.parameters)
		if prepared.columns != nil {
			if s.transaction != nil && s.transaction.failed {
				return aborted()
			}
			fields, err = describe(prepared.columns, nil)
		}
		return err
	})
	return parameterTypes, fields, err
}

// Bind makes a portal of a prepared statement and parameters.
func (s *Session) Bind(ctx context.Context, portalName, statementName string, parameterFormats []int16, parameters [][]byte, resultFormats []int16) error {
	return s.extended(ctx, nil, func() error {
		prepared, err := s.findStatement(statementName)
		if err != nil {
			return err
		}
		if len(parameters) != len(prepared.parameters) {
			return pgerror.New(pgerror.ProtocolViolation, "bind message supplies %d parameters, but prepared statement \"%s\" requires %d",
				len(parameters), statementName, len(prepared.parameters))
		}
		if len(parameterFormats) > 1 && len(parameterFormats) != len(parameters) {
			return pgerror.New(pgerror.ProtocolViolation, "bind message has %d parameter formats but %d parameters", len(parameterFormats), len(parameters))
		}
		made := &portal{
			name: portalName, text: prepared.text, prepared: prepared, formats: resultFormats, visible: portalName != "",
		}
		if prepared.empty {
			s.ensureTransaction(&parse.Statement{})
			return s.addPortal(made)
		}
		if err := s.admit(&prepared.statement); err != nil {
			return err
		}
		if prepared.columns != nil {
			if _, err := describe(prepared.columns, resultFormats); err != nil {
				return err
			}
		}
		if made.arguments, err = s.decode(portalName, prepared.parameters, parameterFormats, parameters); err != nil {
			return err
		}
		if s.transaction == nil {
			s.begin(false)
		}
		if controlOf(&prepared.statement) == nil {
			if err := s.bindPortal(made); err != nil {
				return err
			}
		}
		return s.addPortal(made)
	})
}

// bindPortal binds a portal's statement, as a statement of its own unless it was bound by the message before.
func (s *Session) bindPortal(p *portal) (err error) {
	if p.prepared.bound == nil || p.prepared.moment != s.moment {
		if err := s.startStatement(); err != nil {
			return err
		}
	}
	p.command, err = s.ready(p.prepared)
	p.moment = s.moment
	return err
}

// decode reads the parameters of a Bind message.
func (s *Session) decode(portalName string, types []relation.Type, formats []int16, parameters [][]byte) ([]relation.Value, error) {
	s.derive()
	values := make([]relation.Value, len(parameters))
	for i, parameter := range parameters {
		if parameter == nil {
			continue
		}
		format := formatOf(formats, i)
		parameter, err := s.inEncoding(parameter, types[i], format)
		if err != nil {
			return nil, parameterError(err, portalName, i, format)
		}
		switch format {
		case TextFormat:
			values[i], err = function.Input(types[i], string(parameter), &s.derived.format)
		case BinaryFormat:
			values[i], err = function.ParseBinary(types[i], parameter)
		default:
			err = pgerror.New(pgerror.InvalidParameterValue, "unsupported format code: %d", formatOf(formats, i))
		}
		if err != nil {
			return nil, parameterError(err, portalName, i, formatOf(formats, i))
		}
	}
	return values, nil
}

// parameterError tells which parameter an error is about.
func parameterError(err error, portalName string, i int, format int16) error {
	known := pgerror.From(err)
	if known.Where == "" {
		known.Where = "unnamed portal"
		if portalName != "" {
			known.Where = "portal \"" + portalName + "\""
		}
		known.Where += " parameter $" + strconv.Itoa(i+1)
		if format == TextFormat {
			known.Where += " = '...'"
		}
	}
	return known
}

// DescribePortal gives the fields of a portal's result, nil without one.
func (s *Session) DescribePortal(ctx context.Context, name string) (fields []Field, err error) {
	err = s.extended(ctx, nil, func() error {
		p, err := s.findPortal(name)
		if err != nil {
			return err
		}
		if columns := p.columns(); columns != nil {
			fields, err = describe(columns, p.formats)
		}
		return err
	})
	return fields, err
}

// columns gives the columns of a portal's rows, nil without rows.
func (p *portal) columns() []bind.SourceColumn {
	if p.command != nil {
		return p.command.columns
	}
	return p.prepared.columns
}

// Execute runs a portal until that many rows were written (0: all), and tells whether it stopped for that.
func (s *Session) Execute(ctx context.Context, name string, maxRows int, out ResultWriter) (suspended bool, err error) {
	err = s.extended(ctx, out, func() error {
		p, err := s.findPortal(name)
		if err != nil {
			return err
		}
		if p.prepared != nil {
			if p.prepared.empty {
				return out.Empty()
			}
			if err := s.admit(&p.prepared.statement); err != nil {
				return err
			}
			if control := controlOf(&p.prepared.statement); control != nil {
				return s.executeControl(p, out)
			}
		}
		suspended, err = s.executePortal(p, maxRows, out)
		return err
	})
	return suspended, err
}

// executeControl runs a portal that begins or ends a transaction, its own included.
func (s *Session) executeControl(p *portal, out ResultWriter) error {
	s.closePortal(p)
	if s.transaction != nil && !s.transaction.block && s.transaction.handle == nil && s.transaction.announced.mark() == (announcementMark{}) {
		// The implicit transaction has done nothing: it is as if there were none.
		s.closePortals(func(other *portal) bool { return other.transaction == s.transaction })
		s.transaction = nil
	}
	tag, err := s.transactionControl(controlOf(&p.prepared.statement))
	if err != nil {
		return err
	}
	return out.Complete(tag)
}

func (s *Session) executePortal(p *portal, maxRows int, out ResultWriter) (suspended bool, err error) {
	statementContext, stop := s.withTimeout(s.context)
	defer stop()
	s.context = statementContext
	defer func() { err = cause(statementContext, err) }()
	if p.result == nil {
		if p.prepared != nil && p.moment != s.moment {
			if err = s.bindPortal(p); err != nil {
				return false, err
			}
		}
		s.query = p.text
		if err = p.start(s); err != nil {
			return false, err
		}
	} else if p.command.columns == nil {
		return false, pgerror.New(pgerror.ObjectNotInPrerequisiteState, "portal \"%s\" cannot be run", p.name)
	}
	if p.command.columns == nil {
		defer p.closeRows()
		return false, out.Complete(p.result.tag(0))
	}
	fields, err := describe(p.command.columns, p.formats)
	if err != nil {
		return false, err
	}
	sent, more, err := s.send(p, fields, maxRows)
	if err != nil || more {
		return more, err
	}
	return false, out.Complete(p.result.tag(sent))
}

// CloseStatement forgets a prepared statement; that there is none is no error.
func (s *Session) CloseStatement(ctx context.Context, name string) error {
	return s.extended(ctx, nil, func() error {
		delete(s.statements, name)
		return nil
	})
}

// ClosePortal closes a portal; that there is none is no error.
func (s *Session) ClosePortal(ctx context.Context, name string) error {
	return s.extended(ctx, nil, func() error {
		if p := s.portals[name]; p != nil {
			s.closePortal(p)
		}
		return nil
	})
}

// Sync ends a sequence of extended messages: its implicit transaction is committed, or rolled back when one of them failed.
func (s *Session) Sync(ctx context.Context, failed bool) error {
	defer s.leave()
	return s.extended(ctx, nil, func() error {
		if failed {
			s.fail()
			return nil
		}
		return s.endMessage()
	})
}
