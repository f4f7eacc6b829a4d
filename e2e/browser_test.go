package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// stepTime is the time limit of one step on a page. Only a loaded machine comes near it.
const stepTime = 2 * time.Minute

// part is one part of a page's test. It runs in its own tab.
type part struct {
	name string
	test func(*tab)
}

// runParts starts a server, runs each part against it in its own tab, and returns the server's
// address.
func runParts(t *testing.T, parts []part) (base string) {
	t.Helper()
	b := browser(t)
	base = serveEmbedded(t)
	for _, x := range parts {
		t.Run(x.name, func(t *testing.T) { x.test(openTab(t, b, base)) })
	}
	return base
}

// browsers are the started browsers that no test uses. A test gets its own, because a browser stops
// the animations and timers of every tab but one. The next test uses it again, because its start
// takes a second.
type browsers struct {
	mu   sync.Mutex
	idle []*chromium
}

// chromium is a running browser.
type chromium struct {
	ctx context.Context
	end func()
}

var idleBrowsers browsers

// take returns an idle browser, or starts one.
func (b *browsers) take(path string) (*chromium, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.idle); n > 0 {
		c := b.idle[n-1]
		b.idle = b.idle[:n-1]
		return c, nil
	}
	return startChromium(path)
}

// giveBack keeps a browser for the next test, unless it has crashed.
func (b *browsers) giveBack(c *chromium) {
	if c.ctx.Err() != nil {
		c.end()
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.idle = append(b.idle, c)
}

// close ends the browsers after the last test.
func (b *browsers) close() {
	for _, c := range b.idle {
		c.end()
	}
}

// browser returns a browser for the duration of the test. It skips the test if none is installed,
// or fails it if SLIPSTICK_REQUIRE_INTEGRATION is set.
func browser(t testing.TB) context.Context {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		if os.Getenv("SLIPSTICK_REQUIRE_INTEGRATION") != "" {
			t.Fatal("no chromium; install it (.ci/install does)")
		}
		t.Skip("SKIPPED, NOT TESTED: no chromium on this machine; .ci/install installs it")
	}
	c, err := idleBrowsers.take(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { idleBrowsers.giveBack(c) })
	return c.ctx
}

func startChromium(path string) (*chromium, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.DisableGPU,
		// The pop-ups of the address bar are pages, and draw during every test.
		chromedp.Flag("disable-features",
			"Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,WebUIOmniboxAimPopup"))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // the sandbox does not run as root
	}
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, endContext := chromedp.NewContext(allocator)
	c := &chromium{ctx: ctx, end: func() { endContext(); endAllocator() }}
	err := chromedp.Do(ctx, chromedp.Navigate("about:blank")) // starts the browser
	if err != nil {
		c.end()
	}
	return c, err
}

// tab is a page in the browser. An error or a warning on its console fails the test.
type tab struct {
	testing.TB
	ctx  context.Context
	end  func() // closes the tab before the end of the test
	base string

	mu       sync.Mutex
	complain []string
	excused  []string // errors that the test provokes
}

// openTab opens a tab with its own empty storage.
func openTab(t testing.TB, browser context.Context, base string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	p := &tab{TB: t, ctx: ctx, end: cancel, base: base}
	// The context of the first action determines the lifetime of the tab: a deadline would close
	// the tab.
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900),
		chromedp.Navigate(base+"/static/icon.svg")); err != nil {
		t.Fatal(err)
	}
	eval[bool](p, "localStorage.clear() ?? true")
	err := chromedp.Listen(ctx, func(ev any) {
		text := ""
		switch e := ev.(type) {
		case *runtime.EventExceptionThrown:
			text = "exception: " + e.ExceptionDetails.Text
			if e.ExceptionDetails.Exception != nil {
				text += " " + e.ExceptionDetails.Exception.Description
			}
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError ||
				e.Type == runtime.ConsoleAPICalledTypeWarning {
				text = "console: " + fmt.Sprint(e.Args)
			}
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
				text = "log: " + e.Entry.Text + " " + e.Entry.URL
			}
		}
		if text != "" {
			p.mu.Lock()
			defer p.mu.Unlock()
			for _, x := range p.excused {
				if strings.Contains(text, x) {
					return
				}
			}
			p.complain = append(p.complain, text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, c := range p.complain {
			t.Error(c)
		}
	})
	return p
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, stepTime)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

// visit opens a path of the service.
func (p *tab) visit(path string) {
	p.Helper()
	p.do(chromedp.Navigate(p.base + path))
}

// eval evaluates an expression in the page.
func eval[T any](p *tab, expression string) T {
	p.Helper()
	v, err := evaluate[T](p, expression)
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return v
}

// evaluate is eval for expressions that may fail.
func evaluate[T any](p *tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, stepTime)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// isNavigation reports whether an evaluation may have failed because the tab opened another page.
// The DevTools protocol then returns the code of server errors, -32000 (JSON-RPC 2.0, section 5.1).
// An exception of the page has no code.
func isNavigation(err error) bool {
	var e *cdproto.Error
	return errors.As(err, &e) && e.Code == -32000
}

// expect requires an expression to be true. A page on a loaded machine gets five seconds to draw.
func (p *tab) expect(expression string) {
	p.Helper()
	for deadline := time.Now().Add(5 * time.Second); !eval[bool](p, "Boolean("+expression+")"); {
		if time.Now().After(deadline) {
			p.Errorf("not so: %s", expression)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// until waits until an expression is true. The tab may open another page during the wait.
func (p *tab) until(expression string) {
	p.Helper()
	deadline := time.Now().Add(stepTime)
	// The element may not exist yet.
	attempt := "(() => { try { return Boolean(" + expression + ") } catch { return false } })()"
	for {
		reached, err := evaluate[bool](p, attempt)
		switch {
		case err != nil && !isNavigation(err):
			p.Fatalf("%s: %v", expression, err)
		case reached:
			return
		case time.Now().After(deadline):
			p.Fatalf("not reached: %s (%v)\n%s", expression, err,
				eval[string](p, "document.querySelector('main')?.innerText ?? ''"))
		}
		time.Sleep(15 * time.Millisecond)
	}
}

// press types keys into the focused element.
func (p *tab) press(keys string, options ...chromedp.KeyOption) {
	p.Helper()
	p.do(chromedp.KeyEvent(keys, options...))
}

// shortcut dispatches a keydown event for a key that does not enter text. An input event of the
// DevTools protocol would insert the character even if the page handles the key.
func (p *tab) shortcut(key string) {
	p.Helper()
	eval[bool](p, fmt.Sprintf("(document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', { key: %q, bubbles: true, cancelable: true })) || true", key))
}

// fill replaces the content of a field by typing.
func (p *tab) fill(name, text string) {
	p.Helper()
	eval[bool](p, fmt.Sprintf("(() => { const f = document.getElementById('f-' + %q); f.focus(); f.select?.(); return true })()", name))
	if text == "" {
		p.press("\b")
		return
	}
	p.press(text)
}

// result returns the text of a result with its unit.
func (p *tab) result(name string) string {
	p.Helper()
	return eval[string](p, fmt.Sprintf("document.querySelector('[data-out=' + CSS.escape(%q) + '] .number')?.innerText.replace(/\\s+/g, ' ') ?? ''", name))
}

func query(pairs ...string) string {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return "?" + q.Encode()
}
