package sqlmap

import (
	"context"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/parse"
)

// Simple runs the statements of one Query message: until one fails, and outside of a block in one transaction.
func (s *Session) Simple(ctx context.Context, query string, out ResultWriter) error {
	defer s.enter(ctx, out)()
	defer s.leave()
	query, err := s.decodeText(query)
	if err == nil {
		s.query = query
		err = s.simple(query)
	}
	if err != nil {
		s.fail()
		return cause(ctx, err)
	}
	return nil
}

func (s *Session) simple(query string) error {
	statements, err := parse.Parse(query)
	if err != nil {
		return err
	}
	if len(statements) == 0 {
		return s.out.Empty()
	}
	// The tag of the last statement waits until its transaction has ended well.
	tag := ""
	for i := range statements {
		if i > 0 {
			if err := s.out.Complete(tag); err != nil {
				return err
			}
		}
		if tag, err = s.simpleStatement(statements[i], len(statements) > 1); err != nil {
			return err
		}
	}
	if err := s.endMessage(); err != nil {
		return err
	}
	return s.out.Complete(tag)
}

// simpleStatement runs one statement of a Query message, writes its rows, and gives its tag.
func (s *Session) simpleStatement(statement parse.Statement, multiple bool) (string, error) {
	if err := s.admit(&statement); err != nil {
		return "", err
	}
	if control := controlOf(&statement); control != nil {
		return s.transactionControl(control)
	}
	messageContext := s.context
	var stop context.CancelFunc
	s.context, stop = s.withTimeout(messageContext)
	defer func() {
		stop()
		s.context = messageContext
	}()
	if s.transaction == nil {
		s.begin(false)
	}
	s.transaction.multiple = multiple
	tag, err := s.runOnce(statement)
	return tag, cause(s.context, err)
}

// runOnce runs a statement whose rows go out as text.
func (s *Session) runOnce(statement parse.Statement) (string, error) {
	if err := s.startStatement(); err != nil {
		return "", err
	}
	command, err := s.prepare(statement, nil)
	if err != nil && followsFromParameters(err) || err == nil && len(command.parameters) > 0 {
		if missing := missingParameter(&statement); missing != nil {
			return "", missing
		}
	}
	if err != nil {
		return "", err
	}
	p := &portal{command: command}
	defer p.closeRows()
	if err := p.start(s); err != nil {
		return "", err
	}
	if command.columns == nil {
		return p.result.tag(0), nil
	}
	var formats []int16
	if command.binary {
		formats = []int16{BinaryFormat}
	}
	fields, err := describe(command.columns, formats)
	if err != nil {
		return "", err
	}
	// An error of the first rows comes before the client is told to expect any.
	if err := p.prime(s.context); err != nil {
		return "", err
	}
	if err := s.out.Fields(fields); err != nil {
		return "", err
	}
	sent, _, err := s.send(p, fields, 0)
	if err != nil {
		return "", err
	}
	return p.result.tag(sent), nil
}

// followsFromParameters tells whether an error may only say that the type of a parameter is not known.
func followsFromParameters(err error) bool {
	switch pgerror.From(err).Code {
	case pgerror.IndeterminateDatatype, pgerror.AmbiguousFunction, pgerror.UndefinedFunction, pgerror.DatatypeMismatch, pgerror.CannotCoerce:
		return true
	}
	return false
}

// missingParameter gives 42P02 for the first parameter in a statement that cannot have any; nil when there is none.
func missingParameter(statement *parse.Statement) error {
	number, location := statement.FirstParameter()
	if number == 0 {
		return nil
	}
	return pgerror.New(pgerror.UndefinedParameter, "there is no parameter $%d", number).WithPosition(statement.Position(location))
}

// send writes rows of a portal, up to limit (0: all), and tells how many there were and whether there may be more.
func (s *Session) send(p *portal, fields []Field, limit int) (sent int, more bool, err error) {
	writer := newRowWriter(s.out, fields, &s.derived.format, s.derived.encoding)
	for limit == 0 || sent < limit {
		var row relation.Row
		if row, err = p.read(s.context); err != nil {
			return sent, false, err
		}
		if row == nil {
			return sent, false, nil
		}
		if err = writer.write(row); err != nil {
			return sent, false, err
		}
		sent++
	}
	return sent, true, nil
}
