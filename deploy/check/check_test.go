// Package check parses the files that operators deploy, with the libraries of the tools that use
// them. It is a separate module because those libraries are large.
package check

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/resid"
)

// root returns the folder of the repository, two levels up.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// password contains the characters that have a meaning in URLs, shells and the compose file.
const password = `a/b@c+d:e?f#g%41 h&i=j\k"l'm$n`

func compose(t *testing.T, env ...string) *types.Project {
	t.Helper()
	project, err := load(t, nil, append([]string{"POSTGRES_PASSWORD=" + password}, env...)...)
	if err != nil {
		t.Fatal(err)
	}
	return project
}

// load parses the compose file and its overlays with an environment.
func load(t *testing.T, over []string, env ...string) (*types.Project, error) {
	t.Helper()
	files := []string{filepath.Join(root(t), "docker-compose.yml")}
	for _, name := range over {
		files = append(files, filepath.Join(root(t), "deploy/compose", name))
	}
	options, err := cli.NewProjectOptions(files, cli.WithEnv(env), cli.WithConsistency(true))
	if err != nil {
		t.Fatal(err)
	}
	return options.LoadProject(context.Background())
}

// TestCompose verifies that every service has limits, a health check, a restart policy, no unneeded
// rights and a bounded log. It also verifies that only the proxy is reachable from outside.
func TestCompose(t *testing.T) {
	project := compose(t)
	if got, want := project.ServiceNames(), []string{"api", "postgres", "proxy", "redis",
		"worker"}; !slices.Equal(got, want) {
		t.Fatalf("services %v, want %v", got, want)
	}
	var builds []string
	for name, s := range project.Services {
		if s.HealthCheck == nil || len(s.HealthCheck.Test) == 0 {
			t.Errorf("%s has no health check", name)
		}
		if s.Deploy == nil || s.Deploy.Resources.Limits == nil ||
			s.Deploy.Resources.Limits.MemoryBytes == 0 {
			t.Errorf("%s has no memory limit", name)
		}
		if len(s.Ports) > 0 != (name == "proxy") {
			t.Errorf("%s publishes %v", name, s.Ports)
		}
		for _, v := range s.Volumes {
			if v.Type == types.VolumeTypeBind {
				if _, err := os.Stat(v.Source); err != nil {
					t.Errorf("%s mounts what is not there: %v", name, err)
				}
			}
		}
		if s.Build != nil {
			builds = append(builds, name)
		}
		if s.Restart != types.RestartPolicyUnlessStopped {
			t.Errorf("%s: restart is %q", name, s.Restart)
		}
		if s.Logging == nil || s.Logging.Options["max-size"] == "" ||
			s.Logging.Options["max-file"] == "" {
			t.Errorf("the log of %s grows for ever", name)
		}
		if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) ||
			!slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s may do more than it needs", name)
		}
		// Images of this repository define their own user.
		if user := s.User; s.Image != project.Services["api"].Image &&
			(user == "" || user == "root" || strings.HasPrefix(user, "0")) {
			t.Errorf("%s runs as %q", name, user)
		}
	}
	if !slices.Equal(builds, []string{"api"}) ||
		project.Services["worker"].Image != project.Services["api"].Image {
		t.Errorf("%v build the image; one service builds it and the others use its tag", builds)
	}
	for _, name := range []string{"api", "worker"} {
		if s := project.Services[name]; s.Scale == nil && (s.Deploy.Replicas == nil ||
			*s.Deploy.Replicas < 2) || s.ContainerName != "" {
			t.Errorf("%s cannot be scaled", name)
		}
	}
	if redis := strings.Join(project.Services["redis"].Command, " "); !strings.Contains(redis,
		"--maxmemory-policy noeviction") || !strings.Contains(redis, "--appendonly yes") {
		t.Errorf("redis runs with %q", redis)
	}
	if _, err := os.Stat(project.Services["api"].Build.Dockerfile); err != nil {
		if _, err := os.Stat(filepath.Join(project.Services["api"].Build.Context,
			project.Services["api"].Build.Dockerfile)); err != nil {
			t.Error(err)
		}
	}
}

// TestComposeTrustsTheProxy verifies that the API trusts one address, the address of the proxy. It
// also verifies that neither another container nor the gateway can have this address.
func TestComposeTrustsTheProxy(t *testing.T) {
	project := compose(t)
	trusted, err := netip.ParseAddr(
		*project.Services["api"].Environment["SLIPSTICK_TRUSTED_PROXIES"])
	if err != nil {
		t.Fatalf("the API trusts more than an address: %v", err)
	}
	if own := project.Services["proxy"].Networks["edge"]; own == nil ||
		own.Ipv4Address != trusted.String() {
		t.Errorf("the API trusts %s, the proxy is %+v", trusted, own)
	}
	config := project.Networks["edge"].Ipam.Config
	if len(config) != 1 {
		t.Fatalf("edge has %d subnets", len(config))
	}
	if subnet := netip.MustParsePrefix(config[0].Subnet); !subnet.Contains(trusted) {
		t.Errorf("%s is not in %s", trusted, subnet)
	}
	if others, err := netip.ParsePrefix(config[0].IPRange); err != nil || others.Contains(trusted) {
		t.Errorf("another container may get %s: range %q, %v", trusted, config[0].IPRange, err)
	}
	if config[0].Gateway == trusted.String() || config[0].Gateway == "" {
		t.Errorf("the gateway is %q", config[0].Gateway)
	}
}

// TestComposePassword verifies that nothing starts without a password and that the message gives
// the remedy. It also verifies that the program gets any password unchanged and that no URL
// contains it.
func TestComposePassword(t *testing.T) {
	for _, env := range [][]string{nil, {"POSTGRES_PASSWORD="}} {
		if _, err := load(t, nil, env...); err == nil ||
			!strings.Contains(err.Error(), "POSTGRES_PASSWORD") ||
			!strings.Contains(err.Error(), "env.example") {
			t.Errorf("with %q: %v", env, err)
		}
	}
	project := compose(t)
	api, db := project.Services["api"].Environment, project.Services["postgres"].Environment
	for name, got := range map[string]*string{"POSTGRES_PASSWORD": db["POSTGRES_PASSWORD"],
		"PGPASSWORD": api["PGPASSWORD"]} {
		if got == nil || *got != password {
			t.Errorf("%s is not the password", name)
		}
	}
	if u, err := url.Parse(*api["SLIPSTICK_DATABASE_URL"]); err != nil ||
		u.User.String() != *db["POSTGRES_USER"] || u.Path != "/"+*db["POSTGRES_DB"] {
		t.Errorf("the API's database is %s, %v", *api["SLIPSTICK_DATABASE_URL"], err)
	}
}

// TestComposeSettings verifies that the program gets each setting of env.example, and that a
// setting without a value is unset.
func TestComposeSettings(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "deploy/compose/env.example"))
	if err != nil {
		t.Fatal(err)
	}
	var env []string
	for _, m := range regexp.MustCompile(`(?m)^#?([A-Z_]+)=`).FindAllStringSubmatch(string(text),
		-1) {
		env = append(env, m[1]+"=value-of-"+m[1])
	}
	numbers := map[string]string{"SLIPSTICK_PORT": "1234", "SLIPSTICK_WORKERS": "7654321",
		"SLIPSTICK_WORKER_CPUS": "3.0625", "SLIPSTICK_WORKER_MEMORY": "4530896897"}
	for i, e := range env {
		name, _, _ := strings.Cut(e, "=")
		if number, found := numbers[name]; found {
			env[i] = name + "=" + number
		}
	}
	project, err := load(t, []string{"tls.yml"}, env...)
	if err != nil {
		t.Fatal(err)
	}
	written := func(p *types.Project) string {
		text, err := p.MarshalYAML()
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	set, plain := written(project),
		written(compose(t, "SLIPSTICK_PORT=1234",
			"SLIPSTICK_PUBLIC_URL=value-of-SLIPSTICK_PUBLIC_URL"))
	for _, e := range env {
		if _, value, _ := strings.Cut(e, "="); !strings.Contains(set, value) &&
			!strings.Contains(plain, value) {
			t.Errorf("%s arrives nowhere", e)
		}
	}
	api := compose(t).Services["api"].Environment
	for _, name := range []string{
		"SLIPSTICK_PUBLIC_URL", "SLIPSTICK_KEY_PEPPER", "SLIPSTICK_JWT_SECRET",
		"SLIPSTICK_JWT_PUBLIC_KEY", "SLIPSTICK_JWT_JWKS_URL",
		"SLIPSTICK_JWT_ALGORITHMS", "SLIPSTICK_JWT_ISSUER", "SLIPSTICK_JWT_AUDIENCE",
		"SLIPSTICK_MCP_ORIGINS",
	} {
		if value := api[name]; value != nil {
			t.Errorf("%s is %q where nothing sets it", name, *value)
		}
		if !slices.Contains(env, name+"=value-of-"+name) {
			t.Errorf("env.example does not list %s", name)
		}
		if got := compose(t, name+"=x").Services["api"].Environment[name]; got == nil ||
			*got != "x" {
			t.Errorf("%s does not arrive", name)
		}
	}
}

// TestComposePassesSettings verifies that the services get every setting from .env. The settings in
// fixed are exceptions.
func TestComposePassesSettings(t *testing.T) {
	fixed := map[string]string{ // with the reason
		"SLIPSTICK_ADDR":            "the proxy and the health check connect to it",
		"SLIPSTICK_ADMIN_ADDR":      "Prometheus and the health check connect to it",
		"SLIPSTICK_REDIS_URL":       "the Redis of the file",
		"SLIPSTICK_DATABASE_URL":    "the Postgres of the file; POSTGRES_PASSWORD is its password",
		"SLIPSTICK_TRUSTED_PROXIES": "the proxy of the file; SLIPSTICK_LOAD_BALANCERS has further ones",
		"SLIPSTICK_DRAIN_DELAY":     "stop_grace_period includes it",
		"SLIPSTICK_QUEUES":          "all workers of the file are equal, so no other serves the rest",
	}
	text, err := os.ReadFile(filepath.Join(root(t), "docs/settings.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `--[a-z-]+` \\| `([A-Z_]+)` \\|.*\\| ([a-z, ]+) \\| [^|]+ \\|$")
	rows := row.FindAllStringSubmatch(string(text), -1)
	if len(rows) < 40 {
		t.Fatalf("docs/settings.md has %d settings", len(rows))
	}
	checked := 0
	for _, cells := range rows {
		name, commands := cells[1], strings.Split(cells[2], ", ")
		project := compose(t, name+"=1234")
		for _, service := range []string{"api", "worker"} {
			got := project.Services[service].Environment[name]
			want := slices.Contains(commands, service) && fixed[name] == ""
			if passed := got != nil && *got == "1234"; passed != want {
				t.Errorf("%s of .env arrives in %s: %t, want %t", name, service, passed, want)
			}
			if want {
				checked++
			}
		}
	}
	if checked < 35 {
		t.Errorf("%d settings were checked", checked)
	}
}

// TestComposeOverlays verifies that the proxy with TLS serves its domain on ports 80 and 443, and
// keeps its certificates. It also verifies that with IPv6 the network has both protocols and the
// proxy has its fixed IPv4 address.
func TestComposeOverlays(t *testing.T) {
	if _, err := load(t, []string{"tls.yml"}, "POSTGRES_PASSWORD=x"); err == nil ||
		!strings.Contains(err.Error(), "SLIPSTICK_DOMAIN") {
		t.Errorf("TLS without a domain: %v", err)
	}
	project, err := load(t, []string{"tls.yml", "ipv6.yml"}, "POSTGRES_PASSWORD=x",
		"SLIPSTICK_DOMAIN=calc.example.com")
	if err != nil {
		t.Fatal(err)
	}
	proxy := project.Services["proxy"]
	var ports []string
	for _, p := range proxy.Ports {
		ports = append(ports, p.Published+"/"+p.Protocol)
	}
	if !slices.Equal(ports, []string{"80/tcp", "443/tcp", "443/udp"}) {
		t.Errorf("published: %v", ports)
	}
	if *proxy.Environment["SITE_ADDRESS"] != "calc.example.com" ||
		*project.Services["api"].Environment["SLIPSTICK_PUBLIC_URL"] != "https://calc.example.com" {
		t.Error("the domain does not arrive")
	}
	if !slices.ContainsFunc(proxy.Volumes, func(v types.ServiceVolumeConfig) bool {
		return v.Type == types.VolumeTypeVolume &&
			v.Target == *proxy.Environment["XDG_DATA_HOME"]+"/caddy"
	}) {
		t.Error("the certificates are lost with the container")
	}
	edge := project.Networks["edge"]
	if edge.EnableIPv6 == nil || !*edge.EnableIPv6 || len(edge.Ipam.Config) != 2 ||
		proxy.Networks["edge"].Ipv4Address == "" {
		t.Errorf("with IPv6 the network is %+v", edge)
	}
}

// TestManifests verifies that the base builds, and that objects refer to each other by existing
// names and labels.
func TestManifests(t *testing.T) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(),
		filepath.Join(root(t), "deploy/k8s"))
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]map[string]any{} // objects by kind and name
	for _, r := range built.Resources() {
		m, err := r.Map()
		if err != nil {
			t.Fatal(err)
		}
		has[r.GetKind()+" "+r.GetName()] = m
		if r.GetKind() != "Namespace" && r.GetNamespace() != "slipstick" &&
			!resid.NewGvk(r.GetGvk().Group, r.GetGvk().Version, r.GetKind()).IsClusterScoped() {
			t.Errorf("%s %s is in namespace %q", r.GetKind(), r.GetName(), r.GetNamespace())
		}
	}
	for _, want := range []string{
		"Deployment api", "Deployment worker", "Service slipstick", "HorizontalPodAutoscaler api",
		"ScaledObject worker",
		"PodDisruptionBudget api", "PodDisruptionBudget worker", "NetworkPolicy api",
		"NetworkPolicy worker", "ConfigMap slipstick", "ServiceAccount slipstick",
	} {
		if has[want] == nil {
			t.Errorf("there is no %s", want)
		}
	}
	for _, name := range []string{"api", "worker"} {
		pod := at(has["Deployment "+name], "spec", "template").(map[string]any)
		labels := at(pod, "metadata", "labels").(map[string]any)
		for _, selector := range []any{
			at(has["Deployment "+name], "spec", "selector", "matchLabels"),
			at(has["PodDisruptionBudget "+name], "spec", "selector", "matchLabels"),
			at(has["NetworkPolicy "+name], "spec", "podSelector", "matchLabels"),
		} {
			for k, v := range selector.(map[string]any) {
				if labels[k] != v {
					t.Errorf("%s: a selector wants %s=%v, the pods have %v", name, k, v, labels[k])
				}
			}
		}
		c := at(pod, "spec", "containers").([]any)[0].(map[string]any)
		for _, path := range [][]string{{"resources", "requests", "cpu"},
			{"resources", "limits", "memory"}, {"readinessProbe", "httpGet"},
			{"livenessProbe", "httpGet"}} {
			if at(c, path...) == nil {
				t.Errorf("%s has no %v", name, path)
			}
		}
		if at(c, "securityContext", "readOnlyRootFilesystem") != true ||
			at(pod, "spec", "securityContext", "runAsNonRoot") != true {
			t.Errorf("%s may do more than it needs", name)
		}
	}
	if got := at(has["HorizontalPodAutoscaler api"], "spec", "scaleTargetRef",
		"name"); got != "api" {
		t.Errorf("the HPA scales %v", got)
	}
	var egress []string
	for _, rule := range at(has["NetworkPolicy worker"], "spec", "egress").([]any) {
		for _, port := range at(rule, "ports").([]any) {
			egress = append(egress, fmt.Sprint(at(port, "port")))
		}
	}
	for _, port := range []string{"53", "6379", "26379"} { // name servers, Redis, Sentinel
		if !slices.Contains(egress, port) {
			t.Errorf("workers do not reach port %s", port)
		}
	}
	// The private networks contain every pod and node of a cluster, so trusting all of them would
	// let clients forge their address.
	trusted := fmt.Sprint(at(has["ConfigMap slipstick"], "data", "SLIPSTICK_TRUSTED_PROXIES"))
	for entry := range strings.FieldsFuncSeq(trusted, func(r rune) bool {
		return r == ',' || r == ' '
	}) {
		if network, err := netip.ParsePrefix(entry); err == nil &&
			network.Addr().BitLen()-network.Bits() > 8 {
			t.Errorf("trusted by default: %s", network)
		}
	}
}

// TestManifestNames verifies that every YAML file that a comment or a document names exists.
func TestManifestNames(t *testing.T) {
	name := regexp.MustCompile(`[\w./-]+\.ya?ml\b`)
	for _, file := range []string{"deploy/k8s/kustomization.yaml", "deploy/k8s/network.yaml",
		"deploy/k8s/worker.yaml", "deploy/k8s/config.yaml", "docker-compose.yml",
		"docs/operations.md", "deploy/compose/tls.yml"} {
		text, err := os.ReadFile(filepath.Join(root(t), file))
		if err != nil {
			t.Fatal(err)
		}
		for _, named := range name.FindAllString(string(text), -1) {
			_, beside := os.Stat(filepath.Join(root(t), filepath.Dir(file), named))
			if _, err := os.Stat(filepath.Join(root(t), named)); err != nil && beside != nil {
				t.Errorf("%s names %s, which is not there", file, named)
			}
		}
	}
}

// at returns the value at a path of names in nested maps, or nil if there is none.
func at(v any, path ...string) any {
	for _, p := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[p]
	}
	return v
}
