//! What programs do with the crate `surrealdb`, over WebSocket and over HTTP. `check HOST USER PASSWORD` prints a line
//! for each check: `ok NAME`, or `not ok NAME: what was seen`.
use futures::StreamExt;
use std::time::Duration;
use surrealdb::engine::any::{self, Any};
use surrealdb::opt::auth::{Record, Root};
use surrealdb::types::{SurrealValue, Value};
use surrealdb::Surreal;

type Checked = Result<(), String>;

/// Every kind of value, as a statement writes it.
const VALUES: &[&str] = &[
    "NONE", "NULL", "true", "false", "0", "42", "-1", "9223372036854775807", "-9223372036854775808", "0f", "-0.0f", "1.5f",
    "1.50dec", "-0.1dec", "''", "'hé'", "<bytes>'ab'", "0ns", "1h5ns", "d'1969-12-31T23:59:58.5Z'", "d'2026-11-29T00:00:00Z'",
    "u'018f2e2c-0000-7000-8000-000000000001'", "(1.5, -2.5)", "(0, 0)",
    "{ type: 'LineString', coordinates: [[0, 0], [1, 1]] }", "{ type: 'Polygon', coordinates: [[[0, 0], [1, 0], [1, 1], [0, 0]]] }",
    "{ type: 'MultiPoint', coordinates: [[0, 0], [1, 1]] }", "{ type: 'MultiLineString', coordinates: [[[0, 0], [1, 1]]] }",
    "{ type: 'MultiPolygon', coordinates: [[[[0, 0], [1, 0], [1, 1], [0, 0]]]] }",
    "{ type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [0, 0] }] }",
    "type::table('p')", "p:1", "p:abc", "p:[1, 'a']", "p:{ a: 1 }", "p:u'018f2e2c-0000-7000-8000-000000000001'", "p:1..5", "p:..",
    "1..=5", "..", "1>..", "{}", "{ a: 1, b: [1, NONE] }", "[]", "[[1], 'a']", "{1, 2}",
];

async fn value(db: &Surreal<Any>, sql: &str) -> Result<Value, String> {
    let mut answer = db.query(sql).await.map_err(|error| error.to_string())?;
    answer.take::<Value>(0).map_err(|error| error.to_string())
}

fn same<T: PartialEq + std::fmt::Debug>(seen: T, expected: T) -> Checked {
    if seen == expected { Ok(()) } else { Err(format!("{seen:?} instead of {expected:?}")) }
}

fn fails<T: std::fmt::Debug>(outcome: Result<T, String>, part: &str) -> Checked {
    match outcome {
        Err(message) if message.contains(part) => Ok(()),
        other => Err(format!("{other:?} instead of an error with '{part}'")),
    }
}

fn text<T>(outcome: surrealdb::Result<T>) -> Result<T, String> {
    outcome.map_err(|error| error.to_string())
}

/// From the server, back to it, and compared there.
async fn values(db: &Surreal<Any>) -> Checked {
    for literal in VALUES {
        let seen = value(db, &format!("RETURN {literal}")).await?;
        let sql = format!("RETURN [$v == {literal}, type::of($v) == type::of({literal})]");
        let mut answer = text(db.query(sql).bind(("v", seen.clone())).await)?;
        let told: Value = text(answer.take(0))?;
        if told != vec![true, true].into_value() { return Err(format!("{literal} came as {seen:?}, and back as {told:?}")); }
    }
    Ok(())
}

#[derive(Debug, Clone, PartialEq, SurrealValue)]
struct Thing { name: String, size: i64 }

async fn records(db: &Surreal<Any>) -> Checked {
    value(db, "REMOVE TABLE IF EXISTS thing; DEFINE TABLE thing").await?;
    let thing = |name: &str, size| Thing { name: name.into(), size };
    let made: Option<Thing> = text(db.create(("thing", 1)).content(thing("a", 1)).await)?;
    same(made, Some(thing("a", 1)))?;
    let many: Vec<Thing> = text(db.insert("thing").content(vec![thing("b", 2), thing("c", 3)]).await)?;
    same(many.len(), 2)?;
    let changed: Option<Thing> = text(db.update(("thing", 1)).content(thing("d", 4)).await)?;
    same(changed, Some(thing("d", 4)))?;
    let upserted: Option<Thing> = text(db.upsert(("thing", 9)).content(thing("e", 5)).await)?;
    same(upserted, Some(thing("e", 5)))?;
    let none: Option<Thing> = text(db.select(("thing", 77)).await)?;
    same(none, None)?;
    let ranged: Vec<Thing> = text(db.select("thing").range(1..5).await)?;
    same(ranged.len(), 1)?;
    let gone: Option<Thing> = text(db.delete(("thing", 1)).await)?;
    same(gone, Some(thing("d", 4)))?;
    let left: Vec<Thing> = text(db.select("thing").await)?;
    same(left.len(), 3)?;
    let run: String = text(db.run("string::uppercase").args(("abc".to_string(),)).await)?;
    same(run, "ABC".into())
}

async fn errors(db: &Surreal<Any>) -> Checked {
    fails(value(db, "THROW 'no'").await, "no")?;
    fails(value(db, "SELECT * FROM missing_table").await, "does not exist")?;
    fails(value(db, "RETURN [").await, "Parse error")?;
    value(db, "UPSERT thing:twice").await?;
    fails(value(db, "CREATE thing:twice").await, "already exists")?;
    fails(value(db, "SELECT * FROM [sleep(1m)] TIMEOUT 1ms").await, "time")
}

async fn variables(db: &Surreal<Any>) -> Checked {
    text(db.set("v", 7).await)?;
    same(value(db, "RETURN $v").await?, 7.into_value())?;
    text(db.unset("v").await)?;
    same(value(db, "RETURN $v").await?, Value::None)
}

#[derive(SurrealValue)]
struct Account { email: String, pass: String }

async fn people(url: &str, db: &Surreal<Any>) -> Checked {
    value(db, "DEFINE TABLE OVERWRITE person PERMISSIONS FOR select WHERE id = $auth").await?;
    value(db, "DEFINE ACCESS OVERWRITE account ON DATABASE TYPE RECORD
        SIGNUP (CREATE person SET email = $email, pass = crypto::argon2::generate($pass))
        SIGNIN (SELECT * FROM person WHERE email = $email AND crypto::argon2::compare(pass, $pass)) WITH REFRESH").await?;
    value(db, "DELETE person").await?;
    let record = || Record {
        namespace: "test".into(), database: "rust".into(), access: "account".into(),
        params: Account { email: "ann@example.com".into(), pass: "a password".into() },
    };
    let ann = text(any::connect(url).await)?;
    let tokens = text(ann.signup(record()).await)?;
    same(value(&ann, "RETURN $auth.email").await?, "ann@example.com".to_string().into_value())?;
    let again = text(any::connect(url).await)?;
    text(again.authenticate(tokens).await)?;
    same(value(&again, "RETURN $auth.email").await?, "ann@example.com".to_string().into_value())?;
    let third = text(any::connect(url).await)?;
    text(third.signin(record()).await)?;
    same(value(&third, "RETURN count(SELECT * FROM person)").await?, 1.into_value())
}

/// Each clone signs in by itself, as its original did.
async fn clones(db: &Surreal<Any>) -> Checked {
    text(db.set("kept", 7).await)?;
    let all: Vec<_> = (0..10)
        .map(|_| { let clone = db.clone(); tokio::spawn(async move { value(&clone, "RETURN $kept").await }) })
        .collect();
    for one in all { same(one.await.map_err(|error| error.to_string())??, 7.into_value())?; }
    Ok(())
}

async fn live(db: &Surreal<Any>) -> Checked {
    value(db, "REMOVE TABLE IF EXISTS seen; DEFINE TABLE seen").await?;
    let mut stream = text(db.select("seen").live().await)?;
    value(db, "CREATE seen:1 SET x = 1").await?;
    let next: Option<surrealdb::Result<surrealdb::Notification<Value>>> =
        tokio::time::timeout(Duration::from_secs(10), stream.next()).await.map_err(|_| "no notification".to_string())?;
    let notification = text(next.ok_or("the stream has ended")?)?;
    same(format!("{:?}", notification.action), "Create".into())?;
    drop(stream);
    for _ in 0..100 {
        if value(db, "RETURN (INFO FOR TABLE seen).lives == {}").await? == true.into_value() { return Ok(()); }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Err("the live query goes on after its stream was dropped".into())
}

async fn transactions(db: &Surreal<Any>) -> Checked {
    let count = "RETURN count(SELECT * FROM thing:tx)";
    let cancelled = text(db.clone().begin().await)?;
    text(cancelled.query("CREATE thing:tx").await)?;
    same(value(db, count).await?, 0.into_value())?;
    text(cancelled.cancel().await)?;
    same(value(db, count).await?, 0.into_value())?;
    let kept = text(db.clone().begin().await)?;
    text(kept.query("CREATE thing:tx").await)?;
    text(kept.commit().await)?;
    same(value(db, count).await?, 1.into_value())
}

async fn files(db: &Surreal<Any>) -> Checked {
    let file = std::env::temp_dir().join(format!("tessera-rust-{}.surql", std::process::id()));
    text(db.export(&file).await)?;
    value(db, "REMOVE DATABASE IF EXISTS copied").await?;
    text(db.use_ns("test").use_db("copied").await)?;
    let imported = text(db.import(&file).await);
    let _ = std::fs::remove_file(&file);
    imported?;
    same(value(db, "RETURN count(SELECT * FROM thing) > 0").await?, true.into_value())
}

async fn connected(url: &str, user: &str, password: &str) -> Result<Surreal<Any>, String> {
    let db = text(any::connect(url).await)?;
    text(db.version().await)?;
    text(db.health().await)?;
    let root = |password: &str| Root { username: user.into(), password: password.into() };
    fails(db.signin(root("wrong")).await.map_err(|error| error.to_string()), "authentication")?;
    text(db.signin(root(password)).await)?;
    text(db.use_ns("test").use_db("rust").await)?;
    Ok(db)
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [host, user, password] = &arguments[..] else { panic!("check HOST USER PASSWORD") };
    for scheme in ["ws", "http"] {
        let url = format!("{scheme}://{host}");
        let tell = |name: &str, outcome: Checked| match outcome {
            Ok(()) => println!("ok {scheme} {name}"),
            Err(seen) => println!("not ok {scheme} {name}: {}", seen.replace('\n', " ")),
        };
        let db = match connected(&url, user, password).await {
            Ok(db) => db,
            Err(seen) => { tell("connects", Err(seen)); continue }
        };
        tell("connects", Ok(()));
        tell("values", values(&db).await);
        tell("records", records(&db).await);
        tell("errors", errors(&db).await);
        tell("variables", variables(&db).await);
        tell("people", people(&url, &db).await);
        tell("clones", clones(&db).await);
        if scheme == "ws" {
            tell("live", live(&db).await);
            tell("transactions", transactions(&db).await);
        } else {
            tell("files", files(&db).await);
        }
        tell("signs out", match db.invalidate().await {
            Ok(_) => fails(value(&db, "INFO FOR ROOT").await, "permissions"),
            Err(error) => Err(error.to_string()),
        });
    }
}
