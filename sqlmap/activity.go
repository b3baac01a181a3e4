package sqlmap

import (
	"net"
	"strconv"

	"moraine/relation"
	"moraine/sqlmap/pgcatalog"
)

// listBackends gives the rows of pg_stat_activity: of this session with what it does, of the others as the server knows them.
func (s *Session) listBackends() []pgcatalog.Backend {
	name, _ := s.settings.Get("application_name")
	own := pgcatalog.Backend{
		ProcessID: s.options.ProcessID, User: s.options.User, Database: s.database, ApplicationName: name, Started: s.started,
		TransactionTime: s.function.TransactionTime, StatementTime: s.function.StatementTime, State: "active", Query: s.query,
	}
	own.ClientAddress, own.ClientPort = splitAddress(s.options.RemoteAddress)
	list := []pgcatalog.Backend{own}
	if s.options.Sessions == nil {
		return list
	}
	oids := s.databaseOIDs()
	for _, other := range s.options.Sessions() {
		if other.ProcessID == s.options.ProcessID {
			continue
		}
		backend := pgcatalog.Backend{
			ProcessID: other.ProcessID, User: other.User, ApplicationName: other.ApplicationName, Waiting: other.Waiting,
			Database: relation.DatabaseInfo{OID: oids[other.Database], Name: other.Database},
		}
		backend.ClientAddress, backend.ClientPort = splitAddress(other.RemoteAddress)
		list = append(list, backend)
	}
	return list
}

func (s *Session) databaseOIDs() map[string]uint32 {
	databases, err := s.options.Instance.Databases(s.context)
	if err != nil {
		return nil
	}
	oids := make(map[string]uint32, len(databases))
	for _, database := range databases {
		oids[database.Name] = database.OID
	}
	return oids
}

// splitAddress gives host and port of a TCP address, and nothing for a Unix socket.
func splitAddress(address string) (host string, port int) {
	host, text, err := net.SplitHostPort(address)
	if err != nil || net.ParseIP(host) == nil {
		return "", 0
	}
	port, err = strconv.Atoi(text)
	if err != nil {
		return "", 0
	}
	return host, port
}
