package deploy_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"slipstick/api"
	"slipstick/batch/service"
	"slipstick/keys/usage"
	"slipstick/tools/catalog"
	"slipstick/worker"
)

// names is a Registerer that records only the descriptors of collectors.
type names map[string][]string // name -> labels

var described = regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{([^}]*)\}`)

func (n names) Register(c prometheus.Collector) error {
	ch := make(chan *prometheus.Desc, 100)
	c.Describe(ch)
	close(ch)
	for d := range ch {
		m := described.FindStringSubmatch(d.String())
		n[m[1]] = strings.Split(m[2], ",")
	}
	return nil
}

func (n names) MustRegister(cs ...prometheus.Collector) {
	for _, c := range cs {
		_ = n.Register(c)
	}
}

func (n names) Unregister(prometheus.Collector) bool { return false }

// measured returns every metric of the program with its labels.
func measured(t *testing.T) names {
	t.Helper()
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	rdb, err := worker.Dial("redis://127.0.0.1:1") // the test sends no request to it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rdb.Close() })
	n := names{}
	if _, err := api.New(api.Options{Catalog: all, Metrics: n}); err != nil {
		t.Fatal(err)
	}
	if _, err := worker.NewServer(worker.ServerOptions{Redis: rdb, Catalog: all,
		Metrics: n}); err != nil {
		t.Fatal(err)
	}
	queue, err := worker.NewClient(worker.ClientOptions{Redis: rdb, Metrics: n})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { queue.Close() })
	if _, err := service.New(service.Options{Redis: rdb, Catalog: all, Queue: queue,
		Metrics: n}); err != nil {
		t.Fatal(err)
	}
	n.MustRegister(worker.NewQueueCollector(queue, worker.QueuedPools(all)),
		usage.NewExporter(usage.ExporterOptions{}), api.NewDependencyCollector())
	return n
}

var (
	used   = regexp.MustCompile(`slipstick_[a-z0-9_]+`)
	suffix = regexp.MustCompile(`_(bucket|count|sum)$`)
	by     = regexp.MustCompile(
		`(?:by|topk\(\d+, sum by) \(([a-z, ]+)\) \((?:rate|increase)?\(?(slipstick_[a-z0-9_]+)`)
)

// TestQueriesNameRealMetrics verifies that the dashboard and the rules query existing metrics,
// grouped by labels of these metrics. It also verifies that each metric of the program occurs in at
// least one of the two files.
func TestQueriesNameRealMetrics(t *testing.T) {
	have := measured(t)
	seen := map[string]bool{}
	for _, file := range []string{"grafana/slipstick.json", "prometheus/rules.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range used.FindAllString(string(text), -1) {
			name = suffix.ReplaceAllString(name, "")
			seen[name] = true
			if _, ok := have[name]; !ok {
				t.Errorf("%s asks for %s, which nothing measures", file, name)
			}
		}
		for _, m := range by.FindAllStringSubmatch(string(text), -1) {
			for label := range strings.SplitSeq(m[1], ", ") {
				if label != "le" && !slices.Contains(have[suffix.ReplaceAllString(m[2], "")],
					label) {
					t.Errorf("%s groups %s by %s, which it has not", file, m[2], label)
				}
			}
		}
	}
	for name := range have {
		if !seen[name] {
			t.Errorf("%s is measured and shown nowhere", name)
		}
	}
}

// TestEveryQueueScales verifies that the Kubernetes files scale the workers by the length of every
// queue.
func TestEveryQueueScales(t *testing.T) {
	text, err := os.ReadFile("k8s/scaling.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, pool := range worker.QueuedPools(all) {
		for _, p := range worker.Priorities() {
			if list := `"asynq:{` + pool + "-" + string(p) +
				`}:pending"`; !strings.Contains(string(text), list) {
				t.Errorf("no trigger for %s", list)
			}
		}
	}
}

// TestAlertsAreExplained verifies that docs/operations.md has a row for each alert, with its
// meaning and the response to it.
func TestAlertsAreExplained(t *testing.T) {
	rules, err := os.ReadFile("prometheus/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	alerts := regexp.MustCompile(`(?m)^ *- alert: (\w+)$`).FindAllStringSubmatch(string(rules), -1)
	for _, m := range alerts {
		row := regexp.MustCompile("(?m)^\\| `" + m[1] + "` \\| [^|]{10,} \\| [^|]{30,} \\|$")
		if !row.Match(guide) {
			t.Errorf("docs/operations.md does not explain %s", m[1])
		}
	}
	for _, part := range []string{"RedisAway", "PostgresAway", "QueueAge", "APIMemory",
		"ProcessAway"} {
		if !slices.ContainsFunc(alerts, func(m []string) bool { return m[1] == "Slipstick"+part }) {
			t.Errorf("no alert Slipstick%s", part)
		}
	}
}

// TestAlertsFire runs the unit tests of the alerts if promtool is installed.
func TestAlertsFire(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("SKIPPED: promtool is not installed (Debian package prometheus)")
	}
	if out, err := exec.Command(promtool, "test", "rules",
		"prometheus/rules_test.yaml").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
