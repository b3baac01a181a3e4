package sqlmap

import (
	"fmt"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/sqlmap/parse"
)

// prepareDefinition makes the commands ready that define and maintain tables, schemas and databases.
func (s *Session) prepareDefinition(statement parse.Statement, parameterTypes []uint32) (*command, error) {
	switch node := statement.Tree.GetNode().(type) {
	case *pg_query.Node_CreateStmt:
		return s.definition("CREATE TABLE", func() error { return s.createTable(&statement, node.CreateStmt) }), nil
	case *pg_query.Node_CreateTableAsStmt:
		return s.createTableAsStatement(statement, parameterTypes, node.CreateTableAsStmt)
	case *pg_query.Node_AlterTableStmt:
		return s.definition("ALTER TABLE", func() error { return s.alterTable(&statement, node.AlterTableStmt) }), nil
	case *pg_query.Node_RenameStmt:
		if node.RenameStmt.RenameType == pg_query.ObjectType_OBJECT_ROLE {
			return s.definition("ALTER ROLE", func() error { return s.renameRole(node.RenameStmt) }), nil
		}
		return s.definition("ALTER TABLE", func() error { return s.rename(&statement, node.RenameStmt) }), nil
	case *pg_query.Node_IndexStmt:
		return s.definition("CREATE INDEX", func() error { return s.createIndex(&statement, node.IndexStmt) }), nil
	case *pg_query.Node_DropStmt:
		return s.drop(node.DropStmt)
	case *pg_query.Node_TruncateStmt:
		return s.definition("TRUNCATE TABLE", func() error { return s.truncate(node.TruncateStmt) }), nil
	case *pg_query.Node_CommentStmt:
		return s.definition("COMMENT", func() error { return s.comment(node.CommentStmt) }), nil
	case *pg_query.Node_CreateSchemaStmt:
		return s.definition("CREATE SCHEMA", func() error { return s.createSchema(node.CreateSchemaStmt) }), nil
	case *pg_query.Node_CreatedbStmt:
		return s.definition("CREATE DATABASE", func() error { return s.createDatabase(node.CreatedbStmt) }), nil
	case *pg_query.Node_DropdbStmt:
		return s.definition("DROP DATABASE", func() error { return s.dropDatabase(node.DropdbStmt) }), nil
	}
	if made, err := s.prepareRoles(statement); made != nil || err != nil {
		return made, err
	}
	return s.prepareMaintenance(statement)
}

// definition makes a command that changes definitions: not in a read-only transaction, and what follows sees the change.
func (s *Session) definition(tag string, run func() error) *command {
	made := utility(tag, func() error {
		if err := s.readOnly(tag); err != nil {
			return err
		}
		defer s.definitionsChanged()
		return run()
	})
	made.changes = true
	return made
}

// prepareMaintenance makes the commands ready for which there is nothing to do: the stores keep themselves in order.
func (s *Session) prepareMaintenance(statement parse.Statement) (*command, error) {
	switch node := statement.Tree.GetNode().(type) {
	case *pg_query.Node_VacuumStmt:
		tag := "ANALYZE"
		if node.VacuumStmt.IsVacuumcmd {
			tag = "VACUUM"
		}
		return s.maintenance(tag, func() error { return s.vacuum(node.VacuumStmt) }), nil
	case *pg_query.Node_CheckPointStmt:
		return utility("CHECKPOINT", func() error { return nil }), nil
	case *pg_query.Node_ReindexStmt:
		return s.maintenance("REINDEX", func() error { return nil }), nil
	case *pg_query.Node_LockStmt:
		return utility("LOCK TABLE", func() error { return s.lockTable(node.LockStmt) }), nil
	case *pg_query.Node_ListenStmt:
		return s.listen(node.ListenStmt), nil
	case *pg_query.Node_NotifyStmt:
		return utility("NOTIFY", func() error {
			return functionCatalog{s}.Notify(node.NotifyStmt.Conditionname, node.NotifyStmt.Payload)
		}), nil
	case *pg_query.Node_ViewStmt:
		return nil, pgerror.Unsupported("CREATE VIEW")
	}
	return nil, pgerror.Unsupported(constructOf(statement.Tree))
}

// maintenance makes a command that a server which only reads refuses, although it changes no rows.
func (s *Session) maintenance(tag string, run func() error) *command {
	return utility(tag, func() error {
		if err := s.duringRecovery(tag); err != nil {
			return err
		}
		return run()
	})
}

// constructOf names a statement by its node in the grammar: "CreateSeqStmt" is "create seq".
func constructOf(tree *pg_query.Node) string {
	name := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", tree.GetNode()), "*pg_query.Node_"), "Stmt")
	var words strings.Builder
	for i, character := range name {
		if i > 0 && character >= 'A' && character <= 'Z' {
			words.WriteByte(' ')
		}
		words.WriteRune(character)
	}
	return strings.ToUpper(words.String())
}

func (s *Session) vacuum(node *pg_query.VacuumStmt) error {
	if node.IsVacuumcmd {
		if err := s.insideBlock("VACUUM"); err != nil {
			return err
		}
	}
	for _, item := range node.Rels {
		if _, err := s.target(item.GetVacuumRelation().GetRelation()); err != nil {
			return err
		}
	}
	return nil
}

// rowExclusiveLock is the number of ROW EXCLUSIVE among PostgreSQL's lock modes. It and the modes below it stand in the way of
// none of one another, so without the stronger modes there is nothing to wait for.
const rowExclusiveLock = 3

// accessShareLock is the number of ACCESS SHARE, the mode of SELECT.
const accessShareLock = 1

func (s *Session) lockTable(node *pg_query.LockStmt) error {
	if err := s.outsideBlock("LOCK TABLE"); err != nil {
		return err
	}
	if node.Mode > rowExclusiveLock {
		return pgerror.Unsupported("LOCK TABLE in a mode stronger than ROW EXCLUSIVE").
			WithHint("Rows are locked by UPDATE and DELETE; REPEATABLE READ gives a snapshot that does not change.")
	}
	for _, item := range node.Relations {
		name := item.GetRangeVar()
		found, err := names{s}.Relation(s.context, name.Schemaname, name.Relname)
		if err != nil {
			return err
		}
		if found == nil {
			return undefinedTable(name.Schemaname, name.Relname)
		}
		if err := s.requireLock(found, node.Mode); err != nil {
			return err
		}
	}
	return nil
}

// copyOf gives a definition that can be changed.
func copyOf(definition *relation.Definition) *relation.Definition {
	clone := *definition
	clone.Columns = append([]relation.Column(nil), definition.Columns...)
	clone.Constraints = append([]relation.Constraint(nil), definition.Constraints...)
	return &clone
}
