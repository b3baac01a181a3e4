package lake

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"moraine/pgerror"
	"moraine/relation"
	"moraine/store/pebble"
)

// TestTransfersKeepTheirSum moves amounts between accounts in many sessions at once, under both isolation levels, on the
// engine for the disk. No reader finds another sum, no update is lost, and nothing but 40001 and 40P01 stops a transfer.
func TestTransfersKeepTheirSum(t *testing.T) {
	const accounts, workers, transfers = 6, 6, 25
	engine, err := pebble.Open(t.TempDir(), pebble.Options{CacheSize: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	instance, err := Open(background, engine, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{T: t, instance: instance}
	f.createTable(integers("public", "t", primaryKey))
	setup := f.connect().begin(relation.RepeatableRead)
	for id := range int64(accounts) {
		setup.insert("t", id, "100")
	}
	setup.commit()

	var working, reading sync.WaitGroup
	var moved atomic.Int64
	done := make(chan struct{})
	for worker := range workers {
		working.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 0))
			isolation := relation.Isolation(worker % 2)
			for range transfers {
				from := random.IntN(accounts)
				to := (from + 1 + random.IntN(accounts-1)) % accounts
				for !moveOne(t, instance, isolation, int64(from), int64(to)) {
				}
				moved.Add(1)
			}
		})
	}
	reading.Go(func() {
		for {
			if sum := sumOf(t, instance); sum != accounts*100 {
				t.Errorf("a sum of %d", sum)
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	working.Wait()
	close(done)
	reading.Wait()
	var changes int64
	check := f.connect().begin(relation.RepeatableRead)
	check.eachRow(check.table("t"), func(_ relation.RowIdentity, row relation.Row) {
		var balance, count int64
		_, _ = fmt.Sscanf(row[1].Text(), "%d/%d", &balance, &count)
		changes += count
	})
	check.commit()
	if changes != 2*moved.Load() {
		t.Errorf("%d changes of accounts by %d transfers", changes, moved.Load())
	}
	for _, database := range instance.list() {
		for session := range database.sessions {
			session.Close()
		}
		checkIdle(t, database)
	}
	instance.Close()
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
}

// moveOne moves 1 between two accounts in a session of its own; false when it has to be repeated.
func moveOne(t *testing.T, instance *Instance, isolation relation.Isolation, from, to int64) bool {
	err := inTransaction(instance, relation.TransactionOptions{Isolation: isolation}, func(transaction relation.Transaction) error {
		if err := addTo(transaction, from, -1); err != nil {
			return err
		}
		return addTo(transaction, to, 1)
	})
	if pgerror.HasCode(err, pgerror.SerializationFailure) || pgerror.HasCode(err, pgerror.DeadlockDetected) {
		return false
	}
	if err != nil {
		t.Errorf("transfer: %v", err)
	}
	return true
}

// inTransaction runs a function in a transaction of a session of its own, and commits.
func inTransaction(instance *Instance, options relation.TransactionOptions, run func(relation.Transaction) error) error {
	session, err := instance.Connect(background, "moraine")
	if err != nil {
		return err
	}
	defer session.Close()
	transaction, err := session.Begin(background, options)
	if err != nil {
		return err
	}
	if err := run(transaction); err != nil {
		return err
	}
	return transaction.Commit(background)
}

type visitor func(table relation.Writable, identity relation.RowIdentity, row relation.Row) (done bool, err error)

// eachAccount visits the rows of table t until visit tells that it is done.
func eachAccount(transaction relation.Transaction, visit visitor) error {
	return eachRowOf(transaction, "t", visit)
}

func eachRowOf(transaction relation.Transaction, table string, visit visitor) error {
	found, err := transaction.Relation(background, "public", table)
	if err != nil {
		return err
	}
	cursor, err := found.Scan(background, relation.ScanRequest{Columns: []int{0, 1}, WithIdentities: true})
	if err != nil {
		return err
	}
	defer cursor.Close()
	for {
		batch, err := cursor.Next(background)
		if err != nil || batch == nil {
			return err
		}
		for i := range batch.Length {
			if done, err := visit(found.(relation.Writable), batch.Identities[i], batch.Row(i)); done || err != nil {
				return err
			}
		}
	}
}

// addTo is one statement: it changes an account, whose value is "balance/number of changes".
func addTo(transaction relation.Transaction, id, amount int64) error {
	if err := transaction.StartStatement(background); err != nil {
		return err
	}
	return eachAccount(transaction, func(table relation.Writable, identity relation.RowIdentity, row relation.Row) (bool, error) {
		if row[0].Int() != id {
			return false, nil
		}
		var balance, changes int64
		_, _ = fmt.Sscanf(row[1].Text(), "%d/%d", &balance, &changes)
		text := relation.Text(fmt.Sprintf("%d/%d", balance+amount, changes+1))
		return true, table.Update(background, identity, relation.Row{relation.Int(id), text})
	})
}

func sumOf(t *testing.T, instance *Instance) (sum int64) {
	err := inTransaction(instance, relation.TransactionOptions{Isolation: relation.RepeatableRead, ReadOnly: true}, func(transaction relation.Transaction) error {
		return eachAccount(transaction, func(_ relation.Writable, _ relation.RowIdentity, row relation.Row) (bool, error) {
			var balance int64
			_, _ = fmt.Sscanf(row[1].Text(), "%d", &balance)
			sum += balance
			return false, nil
		})
	})
	if err != nil {
		t.Errorf("sum: %v", err)
	}
	return sum
}
