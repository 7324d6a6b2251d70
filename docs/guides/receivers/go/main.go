package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	tolerance    = 300 * time.Second
	maxBodyBytes = 2_000_000
)

// isGenuine tells whether these bytes were sent by us, and lately.
func isGenuine(header http.Header, body []byte, secrets []string) bool {
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	prefix := header.Get("webhook-id") + "." + timestamp + "."
	var standard, service []string
	for _, secret := range secrets {
		signature := base64.StdEncoding.EncodeToString(digest(keyOf(secret), []byte(prefix), body))
		standard = append(standard, "v1,"+signature)
		service = append(service, "sha256="+hex.EncodeToString(digest([]byte(secret), body)))
	}
	given := strings.Split(header.Get("webhook-signature"), " ")
	return anyEqual(given, standard) && anyEqual([]string{header.Get("x-service-signature")}, service)
}

// keyOf gives the key of webhook-signature: a secret that begins with whsec_ is base64.
func keyOf(secret string) []byte {
	encoded, isBase64 := strings.CutPrefix(secret, "whsec_")
	if !isBase64 {
		return []byte(secret)
	}
	key, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(encoded, "="))
	if err != nil {
		log.Fatal("a secret that begins with whsec_ is not base64")
	}
	return key
}

func digest(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}

func anyEqual(given, expected []string) bool {
	for _, one := range given {
		for _, other := range expected {
			// In constant time: how much of a wrong signature is right must not show.
			if hmac.Equal([]byte(one), []byte(other)) {
				return true
			}
		}
	}
	return false
}

// take takes a delivery once: a link of that name can be made once, and is made when all is on the disk.
func take(inbox, id string, body []byte) error {
	file, err := os.CreateTemp(inbox, "*.partial")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err := file.Write(body); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	err = os.Link(file.Name(), filepath.Join(inbox, id+".json"))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	directory, err := os.Open(inbox)
	if err != nil {
		return err
	}
	defer directory.Close()
	return directory.Sync()
}

var deliveryID = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

func receive(res http.ResponseWriter, req *http.Request, secrets []string, inbox string) int {
	// The bytes as they came: JSON that was parsed and written again has another signature.
	body, err := io.ReadAll(http.MaxBytesReader(res, req.Body, maxBodyBytes))
	if err != nil {
		return http.StatusRequestEntityTooLarge
	}
	if !isGenuine(req.Header, body, secrets) {
		return http.StatusUnauthorized
	}
	// The same in every attempt, and another one for each webhook of the event.
	id := req.Header.Get("webhook-id")
	if !deliveryID.MatchString(id) {
		return http.StatusBadRequest
	}
	// The work comes after the answer, from the inbox: an answer after 5 s is too late.
	if err := take(inbox, id, body); err != nil {
		log.Print(err)
		return http.StatusInternalServerError
	}
	fmt.Println(string(body))
	return http.StatusNoContent
}

func main() {
	// Every secret that may be in use, as a JSON array: during a rotation the old one and the new one.
	var secrets []string
	if err := json.Unmarshal([]byte(os.Getenv("WEBHOOK_SECRETS")), &secrets); err != nil {
		log.Fatal("WEBHOOK_SECRETS: ", err)
	}
	inbox := envOr("INBOX", "inbox")
	if err := os.MkdirAll(inbox, 0o700); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /", func(res http.ResponseWriter, req *http.Request) {
		res.WriteHeader(receive(res, req, secrets, inbox))
	})
	server := &http.Server{Addr: "127.0.0.1:" + envOr("PORT", "8000"), ReadTimeout: 10 * time.Second}
	// Without a certificate it speaks HTTP, behind a proxy that ends TLS.
	if certificate := os.Getenv("TLS_CERT"); certificate != "" {
		log.Fatal(server.ListenAndServeTLS(certificate, os.Getenv("TLS_KEY")))
	}
	log.Fatal(server.ListenAndServe())
}

func envOr(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
