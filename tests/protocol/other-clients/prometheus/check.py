"""Reads /metrics with Prometheus' own parser, before and after known work."""
import base64
import sys
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

host, user, password = sys.argv[1:4]
basic = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def request(path, body=None):
    headers = {"authorization": basic, "surreal-ns": "prometheus", "surreal-db": "prometheus", "accept": "application/json"}
    data = None if body is None else body.encode()
    with urllib.request.urlopen(urllib.request.Request(f"http://{host}{path}", data, headers)) as answer:
        return answer.read().decode()


def scrape():
    families = list(text_string_to_metric_families(request("/metrics")))
    samples = {}
    for family in families:
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            check(f"{key} comes once", key not in samples) if key in samples else None
            samples[key] = sample.value
    return {family.name: family for family in families}, samples


def check(name, holds):
    print(("ok " if holds else "not ok ") + name, flush=True)


def total(samples, name, **labels):
    return sum(
        value
        for (sample, given), value in samples.items()
        if sample == name and all(item in given for item in labels.items())
    )


_, before = scrape()
request("/sql", "CREATE a; CREATE a; SELECT * FROM a; THROW 'no'")
families, after = scrape()


def grown(name, **labels):
    return total(after, name, **labels) - total(before, name, **labels)


check("statements are counted by kind", grown("tessera_statement_duration_seconds_count", kind="create", outcome="ok") == 2)
check("and by error", grown("tessera_statement_errors_total", code="thrown") == 1)
check("requests are counted", grown("tessera_request_duration_seconds_count", door="sql", outcome="ok") == 1)
# Reading the metrics is a request, too, which is counted when it is answered.
check("reading them, too", grown("tessera_request_duration_seconds_count", door="metrics") == 1)

histogram = families["tessera_statement_duration_seconds"]
check("histograms are histograms", histogram.type == "histogram")
buckets = [
    sample.value
    for sample in histogram.samples
    if sample.name.endswith("_bucket") and sample.labels["kind"] == "create" and sample.labels["outcome"] == "ok"
]
check("buckets ascend to the count", buckets == sorted(buckets) and buckets[-1] >= 2)
check("counters are counters", families["tessera_statement_errors"].type == "counter")
check("gauges are gauges", families["tessera_sessions"].type == "gauge")
check("each family has a help text", all(family.documentation for name, family in families.items() if name.startswith("tessera_")))
check("the build is named", total(after, "tessera_build_info") == 1)
