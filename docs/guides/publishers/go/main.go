// A service with a table of its own: `billing issue <id> <amount>`, `billing pay <id>`.
package main

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/hamba/avro/v2"
	"github.com/twmb/franz-go/pkg/kgo"
	_ "modernc.org/sqlite"
)

const tables = `
	CREATE TABLE IF NOT EXISTS invoice (id TEXT PRIMARY KEY, amount TEXT NOT NULL, paid_at TEXT);
	CREATE TABLE IF NOT EXISTS outbox (place INTEGER PRIMARY KEY AUTOINCREMENT, change TEXT NOT NULL);`

// changeEvent is JSON in the outbox and Avro on Kafka, with the same names.
type changeEvent struct {
	ID            string   `json:"id"`
	Timestamp     string   `json:"timestamp"`
	ProjectID     string   `json:"projectId"`
	Environment   string   `json:"environment"`
	Table         string   `json:"table"`
	RecordID      string   `json:"recordId"`
	Operation     string   `json:"operation"`
	Record        string   `json:"record"`
	ChangedFields []string `json:"changedFields"`
	Source        string   `json:"source"`
	RequestID     *string  `json:"requestId"`
	Traceparent   *string  `json:"traceparent"`
}

type invoice struct {
	ID     string  `json:"id"`
	Amount string  `json:"amount"`
	PaidAt *string `json:"paidAt"`
}

func env(name, fallback string) string { return cmp.Or(os.Getenv(name), fallback) }

func now() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

// write commits the row and its change together: neither can be there without the other.
func write(database *sql.DB, operation, id, statement string, values ...any) error {
	tx, err := database.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(statement, values...); err != nil {
		return err
	}
	var row invoice
	query := "SELECT id, amount, paid_at FROM invoice WHERE id = ?"
	if err := tx.QueryRow(query, id).Scan(&row.ID, &row.Amount, &row.PaidAt); err != nil {
		return fmt.Errorf("invoice %s: %w", id, err)
	}
	text, err := json.Marshal(changeOf(row, operation))
	if err != nil {
		return err
	}
	if _, err := tx.Exec("INSERT INTO outbox (change) VALUES (?)", string(text)); err != nil {
		return err
	}
	return tx.Commit()
}

func changeOf(row invoice, operation string) changeEvent {
	record, err := json.Marshal(row)
	if err != nil {
		log.Fatal(err)
	}
	changed := []string{}
	if operation == "UPDATE" {
		changed = append(changed, "paidAt")
	}
	return changeEvent{
		// Made here and kept: receivers tell repetitions by it.
		ID:            uuid.Must(uuid.NewV7()).String(),
		Timestamp:     now(),
		ProjectID:     env("PROJECT", "shop"),
		Environment:   env("ENVIRONMENT", "master"),
		Table:         "invoices",
		RecordID:      row.ID,
		Operation:     operation,
		Record:        string(record),
		ChangedFields: changed,
		Source:        "billing",
	}
}

// openEncoder returns the Confluent wire format: 0, the schema's id in 4 bytes, the Avro binary.
func openEncoder() (func(changeEvent) ([]byte, error), error) {
	registry := env("SCHEMA_REGISTRY_URL", "http://localhost:8081/apis/ccompat/v7")
	client := http.Client{Timeout: 5 * time.Second}
	answer, err := client.Get(registry + "/subjects/changes-value/versions/latest")
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the registry answered %s", answer.Status)
	}
	var latest struct {
		ID     uint32 `json:"id"`
		Schema string `json:"schema"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&latest); err != nil {
		return nil, err
	}
	schema, err := avro.Parse(latest.Schema)
	if err != nil {
		return nil, err
	}
	prefix := binary.BigEndian.AppendUint32([]byte{0}, latest.ID)
	named := avro.Config{TagKey: "json"}.Freeze()
	return func(change changeEvent) ([]byte, error) {
		data, err := named.Marshal(schema, change)
		return slices.Concat(prefix, data), err
	}, nil
}

// publishOutbox publishes in commit order. An unacknowledged change stays and is published again.
func publishOutbox(database *sql.DB) error {
	waiting, last, err := readOutbox(database)
	if err != nil || len(waiting) == 0 {
		return err
	}
	encode, err := openEncoder()
	if err != nil {
		return err
	}
	records := make([]*kgo.Record, len(waiting))
	for i, change := range waiting {
		key := []string{change.ProjectID, change.Environment, change.Table, change.RecordID}
		value, err := encode(change)
		if err != nil {
			return err
		}
		records[i] = &kgo.Record{
			Topic: "changes",
			Key:   []byte(strings.Join(key, "/")),
			Value: value,
		}
	}
	// By default the client waits for all replicas, is idempotent, creates no topic and chooses
	// partitions as the Java client does.
	client, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(env("KAFKA_BROKERS", "localhost:9092"), ",")...),
		kgo.RecordDeliveryTimeout(5*time.Second),
	)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.ProduceSync(context.Background(), records...).FirstErr(); err != nil {
		return fmt.Errorf("not published: %w", err)
	}
	_, err = database.Exec("DELETE FROM outbox WHERE place <= ?", last)
	return err
}

func readOutbox(database *sql.DB) (waiting []changeEvent, last int64, err error) {
	rows, err := database.Query("SELECT place, change FROM outbox ORDER BY place")
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var text []byte
		var one changeEvent
		if err := rows.Scan(&last, &text); err != nil {
			return nil, 0, err
		}
		if err := json.Unmarshal(text, &one); err != nil {
			return nil, 0, err
		}
		waiting = append(waiting, one)
	}
	return waiting, last, rows.Err()
}

func run(args []string) error {
	database, err := sql.Open("sqlite", env("DATABASE", "billing.sqlite")+"?_txlock=immediate")
	if err != nil {
		return err
	}
	defer database.Close()
	if _, err := database.Exec(tables); err != nil {
		return err
	}
	switch {
	case len(args) == 3 && args[0] == "issue":
		statement := "INSERT INTO invoice (id, amount) VALUES (?, ?)"
		err = write(database, "INSERT", args[1], statement, args[1], args[2])
	case len(args) == 2 && args[0] == "pay":
		statement := "UPDATE invoice SET paid_at = ? WHERE id = ?"
		err = write(database, "UPDATE", args[1], statement, now(), args[1])
	}
	if err != nil {
		return err
	}
	return publishOutbox(database)
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}
