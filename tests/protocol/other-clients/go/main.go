// Asks a server through the official Go client; client.test.ts starts it with the server's address.
// It prints a line for each check: "ok NAME", or "not ok NAME: why".
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	surrealdb "github.com/surrealdb/surrealdb.go"
	"github.com/surrealdb/surrealdb.go/pkg/models"
)

type object = map[string]any

var (
	address  = os.Args[1]
	root     = object{"user": os.Args[2], "pass": os.Args[3]}
	ctx      = context.Background()
	personID = models.NewRecordID("go_person", "ann")
)

// Person is a record as Go programs declare them.
type Person struct {
	ID   *models.RecordID `json:"id,omitempty"`
	Name string           `json:"name"`
	Age  int              `json:"age"`
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func ok(err error) {
	if err != nil {
		panic(err)
	}
}

func same(got, expected any) {
	if !reflect.DeepEqual(got, expected) {
		panic(fmt.Sprintf("expected %#v, got %#v", expected, got))
	}
}

func refused(err error, text string) {
	if err == nil || !strings.Contains(err.Error(), text) {
		panic(fmt.Sprintf("expected an error with %q, got %v", text, err))
	}
}

func connected(scheme string) *surrealdb.DB {
	db := must(surrealdb.FromEndpointURLString(ctx, scheme+"://"+address))
	// Over HTTP this client signs nobody in before it knows where.
	ok(db.Use(ctx, "test", "golang"))
	must(db.SignIn(ctx, root))
	return db
}

// run gives the result of the last statement.
func run[T any](db *surrealdb.DB, text string, variables object) T {
	results := *must(surrealdb.Query[T](ctx, db, text, variables))
	return results[len(results)-1].Result
}

func do(db *surrealdb.DB, text string) { run[any](db, text, nil) }

func records(scheme string) {
	db := connected(scheme)
	defer db.Close(ctx)
	do(db, "DEFINE TABLE OVERWRITE go_person; DEFINE TABLE OVERWRITE knows; DELETE go_person; DELETE knows")
	made := must(surrealdb.Create[Person](ctx, db, personID, Person{Name: "Ann", Age: 1}))
	same(*made, Person{ID: &personID, Name: "Ann", Age: 1})
	same(must(surrealdb.Select[Person](ctx, db, personID)).Age, 1)
	same(must(surrealdb.Update[Person](ctx, db, personID, object{"name": "Ann", "age": 2})).Age, 2)
	same(must(surrealdb.Merge[Person](ctx, db, personID, object{"age": 3})).Name, "Ann")
	patches := must(surrealdb.Patch(ctx, db, personID, []surrealdb.PatchData{{Op: "replace", Path: "/age", Value: 4}}))
	same(len(*patches), 1)
	other := models.NewRecordID("go_person", 2)
	same(must(surrealdb.Upsert[Person](ctx, db, other, Person{Name: "Bob", Age: 5})).Age, 5)
	same(len(*must(surrealdb.Insert[Person](ctx, db, "go_person", []Person{{Name: "C"}, {Name: "D"}}))), 2)
	same(len(*must(surrealdb.Select[[]Person](ctx, db, models.Table("go_person")))), 4)
	relation := surrealdb.Relationship{In: personID, Out: other, Relation: "knows", Data: object{"since": 3}}
	must(surrealdb.Relate[any](ctx, db, &relation))
	must(surrealdb.InsertRelation[any](ctx, db, &surrealdb.Relationship{In: other, Out: personID, Relation: "knows"}))
	same(run[[]int](db, "SELECT VALUE count() FROM knows GROUP ALL", nil), []int{2})
	same(run[[]string](db, "SELECT VALUE name FROM go_person WHERE age > $least ORDER BY name", object{"least": 3}), []string{"Ann", "Bob"})
	same(must(surrealdb.Delete[Person](ctx, db, personID)).Name, "Ann")
	same(must(surrealdb.Select[*Person](ctx, db, personID)) == nil || *must(surrealdb.Select[*Person](ctx, db, personID)) == nil, true)
}

func values(scheme string) {
	db := connected(scheme)
	defer db.Close(ctx)
	when := models.CustomDateTime{Time: time.Date(2024, 2, 29, 12, 30, 15, 123456789, time.UTC)}
	long := models.CustomDuration{Duration: 90 * time.Minute}
	point := models.GeometryPoint{Longitude: 1.5, Latitude: 2.5}
	parameters := object{"when": when, "long": long, "record": models.NewRecordID("t", []any{"a", 1}), "bytes": []byte{0, 255},
		"none": models.None, "point": point, "large": int64(1) << 62, "float": 1.5}
	kinds := run[[]string](db, `RETURN [$when, $long, $record, $bytes, $none, $point, $large, $float].map(|$each| type::of($each))`, parameters)
	same(kinds, []string{"datetime", "duration", "record", "bytes", "none", "geometry<point>", "int", "float"})
	same(run[models.CustomDateTime](db, "RETURN $when", parameters).Equal(when.Time), true)
	same(run[models.CustomDuration](db, "RETURN $long", parameters).Duration, long.Duration)
	same(run[[]byte](db, "RETURN $bytes", parameters), []byte{0, 255})
	same(run[models.GeometryPoint](db, "RETURN $point", parameters), point)
	same(run[int64](db, "RETURN $large", parameters), int64(1)<<62)
	same(run[models.RecordID](db, "RETURN $record", parameters).Table, "t")
	same(run[string](db, "RETURN <string> u'018f8a12-0000-7000-8000-000000000000'", nil), "018f8a12-0000-7000-8000-000000000000")
}

func errors(scheme string) {
	db := connected(scheme)
	defer db.Close(ctx)
	_, err := surrealdb.Query[any](ctx, db, "SELEC * FROM t", nil)
	refused(err, "Parse error")
	_, err = surrealdb.Query[any](ctx, db, "THROW 'boom'", nil)
	refused(err, "boom")
	do(db, "UPSERT twice:1")
	_, err = surrealdb.Create[any](ctx, db, models.NewRecordID("twice", 1), object{})
	refused(err, "already exists")
	_, err = db.SignIn(ctx, object{"user": "nobody", "pass": "wrong"})
	refused(err, "authentication")
	version := must(db.Version(ctx))
	same(strings.HasPrefix(version.Version, "3."), true)
}

func signIn(scheme string) {
	db := connected(scheme)
	defer db.Close(ctx)
	do(db, `DEFINE TABLE OVERWRITE user PERMISSIONS FOR select WHERE id = $auth;
		DEFINE ACCESS OVERWRITE people ON DATABASE TYPE RECORD SIGNUP (CREATE user SET name = $name)
			SIGNIN (SELECT * FROM user WHERE name = $name);
		DEFINE ACCESS OVERWRITE renewed ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE name = $name) WITH REFRESH`)
	name := fmt.Sprint(scheme, time.Now().UnixNano())
	credentials := object{"NS": "test", "DB": "golang", "AC": "people", "name": name}
	guest := must(surrealdb.FromEndpointURLString(ctx, scheme+"://"+address))
	defer guest.Close(ctx)
	ok(guest.Use(ctx, "test", "golang"))
	must(guest.SignUp(ctx, credentials))
	same(run[[]string](guest, "SELECT VALUE name FROM user", nil), []string{name})
	same(must(guest.Info(ctx))["name"], name)
	token := must(guest.SignIn(ctx, credentials))
	ok(guest.Authenticate(ctx, token))
	same(run[[]string](guest, "SELECT VALUE name FROM user", nil), []string{name})
	credentials["AC"] = "renewed"
	pair := must(guest.SignInWithRefresh(ctx, credentials))
	again := must(guest.SignInWithRefresh(ctx, object{"NS": "test", "DB": "golang", "AC": "renewed", "refresh": pair.Refresh}))
	same(again.Refresh != pair.Refresh, true)
	ok(guest.Invalidate(ctx))
	_, err := surrealdb.Query[any](ctx, guest, "SELECT * FROM user", nil)
	refused(err, "")
	if scheme == "http" {
		// This client keeps variables to itself there, and sends none.
		return
	}
	ok(db.Let(ctx, "x", 1))
	same(run[int](db, "RETURN $x", nil), 1)
	ok(db.Unset(ctx, "x"))
	same(run[any](db, "RETURN $x", nil), nil)
}

// signInByCode begins the request by a plain call; everything else is the client's own.
func signInByCode(scheme string) {
	db := connected(scheme)
	defer db.Close(ctx)
	do(db, `DEFINE TABLE OVERWRITE outbox; DEFINE CONFIG OVERWRITE MAIL FROM 'shop@shop.example' THEN { CREATE outbox CONTENT $mail };
		DEFINE ACCESS OVERWRITE mail ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $identity.email)
			SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE`)
	email := fmt.Sprint(scheme, time.Now().UnixNano(), "@shop.example")
	digest := sha256.Sum256([]byte(strings.Repeat("v", 43)))
	body := must(json.Marshal(object{"challenge": base64.RawURLEncoding.EncodeToString(digest[:]), "email": email}))
	answer := must(http.Post("http://"+address+"/auth/test/golang/mail/start", "application/json", bytes.NewReader(body)))
	defer answer.Body.Close()
	var started struct{ Request string }
	ok(json.NewDecoder(answer.Body).Decode(&started))
	var codes []string
	for len(codes) == 0 {
		codes = run[[]string](db, "SELECT VALUE code FROM outbox WHERE to = $to", object{"to": email})
	}
	guest := must(surrealdb.FromEndpointURLString(ctx, scheme+"://"+address))
	defer guest.Close(ctx)
	ok(guest.Use(ctx, "test", "golang"))
	credentials := object{"NS": "test", "DB": "golang", "AC": "mail", "request": started.Request, "code": "00000000"}
	_, err := guest.SignIn(ctx, credentials)
	refused(err, "There was a problem with authentication")
	credentials["code"] = codes[0]
	must(guest.SignIn(ctx, credentials))
	same(run[[]string](guest, "RETURN $token.amr", nil), []string{"mail"})
}

// attach gives a session of the connection that may do everything.
func attach(db *surrealdb.DB) *surrealdb.Session {
	session := must(db.Attach(ctx))
	must(session.SignIn(ctx, root))
	ok(session.Use(ctx, "test", "golang"))
	return session
}

func sessions(string) {
	db := connected("ws")
	defer db.Close(ctx)
	session := must(db.Attach(ctx))
	_, err := surrealdb.Query[int](ctx, session, "RETURN 1", nil)
	refused(err, "")
	must(session.SignIn(ctx, root))
	ok(session.Use(ctx, "test", "golang"))
	ok(session.Let(ctx, "x", 2))
	ok(db.Let(ctx, "x", 1))
	same(run[int](db, "RETURN $x", nil), 1)
	same((*must(surrealdb.Query[int](ctx, session, "RETURN $x", nil)))[0].Result, 2)
	ok(session.Detach(ctx))
	same(run[int](db, "RETURN $x", nil), 1)
}

// transactions shows what this client relies on: it names no session when it commits or cancels.
func transactions(string) {
	db, other := connected("ws"), connected("ws")
	defer db.Close(ctx)
	defer other.Close(ctx)
	do(db, "DEFINE TABLE OVERWRITE held; DELETE held")
	session := attach(db)
	count := func() int { return len(run[[]any](other, "SELECT * FROM held", nil)) }
	begun := must(session.Begin(ctx))
	must(surrealdb.Create[any](ctx, begun, models.NewRecordID("held", 1), object{"n": 1}))
	same(len((*must(surrealdb.Query[[]any](ctx, begun, "SELECT * FROM held", nil)))[0].Result), 1)
	same(count(), 0)
	ok(begun.Commit(ctx))
	same(count(), 1)
	begun = must(session.Begin(ctx))
	must(surrealdb.Query[any](ctx, begun, "DELETE held", nil))
	ok(begun.Cancel(ctx))
	same(count(), 1)
	begun = must(db.Begin(ctx))
	must(surrealdb.Upsert[any](ctx, begun, models.NewRecordID("held", 2), object{}))
	ok(begun.Commit(ctx))
	same(count(), 2)
	// What a session has written isn't committed once its rights have ended.
	begun = must(session.Begin(ctx))
	must(surrealdb.Query[any](ctx, begun, "DELETE held", nil))
	ok(session.Invalidate(ctx))
	refused(begun.Commit(ctx), "Transaction not found")
	same(count(), 2)
}

func live(string) {
	db, writer := connected("ws"), connected("ws")
	defer db.Close(ctx)
	defer writer.Close(ctx)
	do(db, "DEFINE TABLE OVERWRITE seen; DELETE seen")
	id := must(surrealdb.Live(ctx, db, "seen", false))
	notifications := must(db.LiveNotifications(id.String()))
	must(surrealdb.Create[any](ctx, writer, models.NewRecordID("seen", 1), object{"n": 1}))
	next := func(action string) {
		select {
		case notification := <-notifications:
			same(string(notification.Action), action)
		case <-time.After(10 * time.Second):
			panic("no notification came")
		}
	}
	// The client hands each on by itself, so that two that come together may change their order.
	next("CREATE")
	must(surrealdb.Merge[any](ctx, writer, models.NewRecordID("seen", 1), object{"n": 2}))
	next("UPDATE")
	// The client's own Kill closes the channel while the last notification may still be on its way into it, and panics then.
	do(db, fmt.Sprintf("KILL u'%s'", id.String()))
	next("KILLED")
}

func main() {
	failed := false
	check := func(name string, work func(string), scheme string) {
		defer func() {
			if thrown := recover(); thrown != nil {
				failed = true
				fmt.Printf("not ok %s: %v\n", name, thrown)
			} else {
				fmt.Println("ok " + name)
			}
		}()
		work(scheme)
	}
	for _, scheme := range []string{"ws", "http"} {
		check("records over "+scheme, records, scheme)
		check("values over "+scheme, values, scheme)
		check("errors and version over "+scheme, errors, scheme)
		check("signing in and variables over "+scheme, signIn, scheme)
		check("signing in by code over "+scheme, signInByCode, scheme)
	}
	check("sessions", sessions, "")
	check("transactions", transactions, "")
	check("live queries", live, "")
	if failed {
		os.Exit(1)
	}
}
