package check

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// TestImage verifies that the build of the Dockerfile is reproducible. It also verifies that the
// binary runs without other files on a read-only root file system as the user of the image. The
// test executes the steps of the Dockerfile without a container engine.
//
// It cannot check the base images, their other contents (certificates, time zones), the layers, or
// the confinement by an engine (seccomp, cgroups). It builds without the compiler's profile.
func TestImage(t *testing.T) {
	file, err := os.ReadFile(filepath.Join(root(t), "deploy/Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	first, second := buildAsImage(t, string(file)), buildAsImage(t, string(file))
	if a, b := sum(t, first), sum(t, second); a != b {
		t.Errorf("the same source gives the binaries %s and %s", a, b)
	} else {
		t.Logf("twice the same binary: sha256 %s", a)
	}
	checkStatic(t, first)
	runAsImage(t, first, match(t, string(file), `(?m)^USER (\d+:\d+)$`))
}

// match returns the first group of a regular expression in the Dockerfile.
func match(t *testing.T, file, expression string) string {
	t.Helper()
	m := regexp.MustCompile(expression).FindStringSubmatch(file)
	if m == nil {
		t.Fatalf("the Dockerfile has nothing like %s", expression)
	}
	return m[1]
}

// buildAsImage copies the tracked files that .dockerignore includes to a new place and runs the
// Dockerfile's build there. It omits the profile, with which the build takes minutes longer.
func buildAsImage(t *testing.T, file string) (binary string) {
	t.Helper()
	source, binary := t.TempDir(), filepath.Join(t.TempDir(), "slipstick")
	command := match(t, file, `(?m)^RUN (go build .*)$`)
	if !strings.Contains(command, " -o /slipstick ") {
		t.Fatalf("the build does not make /slipstick: %s", command)
	}
	for _, name := range buildContext(t) {
		content, err := os.ReadFile(filepath.Join(root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(source, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("sh", "-c", strings.Replace(command, " -o /slipstick ",
		" -o "+binary+" ", 1))
	build.Dir = source
	for _, variable := range strings.Fields(match(t, file, `(?m)^ENV (CGO_ENABLED=.*)$`)) {
		if strings.HasPrefix(variable, "GOFLAGS=") {
			variable += " -pgo=off"
		}
		build.Env = append(build.Environ(), variable)
	}
	run(t, build)
	return binary
}

// buildContext lists the tracked files of the build context.
func buildContext(t *testing.T) (sent []string) {
	t.Helper()
	f, err := os.Open(filepath.Join(root(t), ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	patterns, err := ignorefile.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	ignored, err := patternmatcher.New(patterns)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("git", "-C", root(t), "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("SKIPPED: not a git checkout: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		skip, err := ignored.MatchesOrParentMatches(name)
		if err != nil {
			t.Fatal(err)
		}
		if !skip {
			sent = append(sent, name)
		}
	}
	return sent
}

func run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

func sum(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// checkStatic verifies that an image without a C library can start the binary.
func checkStatic(t *testing.T, path string) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Skipf("SKIPPED: not an ELF binary, as on systems other than Linux: %v", err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the binary asks for a dynamic linker")
		}
	}
	if libraries, err := f.ImportedLibraries(); err == nil && len(libraries) > 0 {
		t.Errorf("the binary needs %v", libraries)
	}
}

// chrootScript runs a command in its own root directory. The directory is read-only except for the
// mounts that a container engine adds.
const chrootScript = `set -e
root=$1 user=$2; shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -o remount,ro,bind "$root"
exec chroot --userspec="$user" "$root" "$@"`

// runAsImage verifies that the binary rejects a data directory on the read-only root and computes
// with a data directory in memory.
func runAsImage(t *testing.T, binary, user string) {
	t.Helper()
	image := imageRoot(t, binary)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	out, err := chrootCommand(ctx, image, user, "serve", "--addr", "127.0.0.1:0", "--data",
		"/data").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "read-only file system") {
		t.Errorf("a data directory on the root: %v\n%s", err, out)
	}
	simulate(t, serveInRoot(t, image, user))
}

// imageRoot returns a root directory with the binary. It skips the test if the process may not
// mount.
func imageRoot(t *testing.T, binary string) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: running on a root of its own needs the right to mount")
	}
	if out, err := exec.Command("unshare", "--mount", "mount", "--make-rprivate",
		"/").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: this machine gives no mount namespace: %v %s", err, out)
	}
	image := t.TempDir()
	for _, dir := range []string{"proc", "dev"} {
		if err := os.Mkdir(filepath.Join(image, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// Only the current user can access these folders; the user of the image needs access too.
	for dir := image; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run(t, exec.Command("cp", binary, filepath.Join(image, "slipstick")))
	return image
}

// chrootCommand returns a command that runs the binary of a root directory as a user.
func chrootCommand(ctx context.Context, image, user string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "unshare",
		append([]string{"--mount", "--pid", "--fork", "--kill-child", "sh", "-c", chrootScript,
			"sh", image, user, "/slipstick"}, args...)...)
	cmd.Env = []string{"SLIPSTICK_LOG_FORMAT=json"}
	// Pdeathsig is not used because a change of the user clears it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// serveInRoot starts the service in a root directory until the test ends, and returns its address
// when it is ready.
func serveInRoot(t *testing.T, image, user string) (addr string) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(stop)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr = l.Addr().String()
	l.Close()
	var log bytes.Buffer
	serve := chrootCommand(ctx, image, user, "serve", "--addr", addr, "--data", ":memory:")
	serve.Stdout, serve.Stderr = &log, &log
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve.Wait() }()
	t.Cleanup(func() {
		stop()
		<-ended
		if t.Failed() {
			t.Logf("the service printed:\n%s", log.Bytes())
		}
	})
	for chrootCommand(ctx, image, user, "health", "http://"+addr+"/readyz").Run() != nil {
		select {
		case <-ctx.Done():
			t.Fatal("the service is not ready within a minute")
		case <-time.After(100 * time.Millisecond):
		}
	}
	return addr
}

// simulate verifies a simulation over HTTP, which starts a child process of the same binary.
func simulate(t *testing.T, addr string) {
	t.Helper()
	resp, err := http.Post("http://"+addr+"/api/spice_simulate", "application/json",
		strings.NewReader(
			`{"netlist":"divider\nV1 in 0 10\nR1 in out 1k\nR2 out 0 3k\n.op\n.end"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var envelope struct {
		Result struct {
			Vectors map[string][]float64 `json:"vectors"`
		} `json:"result"`
	}
	err = json.NewDecoder(resp.Body).Decode(&envelope)
	if got := envelope.Result.Vectors["v(out)"]; err != nil || resp.StatusCode != http.StatusOK ||
		len(got) != 1 || got[0] < 7.499 || got[0] > 7.501 {
		t.Errorf("10 V over 1k and 3k: %d, v(out) %v, %v", resp.StatusCode, got, err)
	}
}
