package e2e

import "fmt"

// keyUsage verifies a bar per day and tool, with proportional heights, and a common group for tools
// beyond the fifth. It also verifies that an error names its cause. The test supplies the
// responses.
func keyUsage(p *tab) {
	p.visit("/keys")
	p.until("document.getElementById('history')")
	show := func(response string) {
		p.Helper()
		eval[bool](p, fmt.Sprintf(`(() => {
			const real = window.fetch;
			window.fetch = (url, o) => {
				if (!String(url).includes('/usage')) return real(url, o);
				window.requested = [String(url), o.headers.Authorization];
				return Promise.resolve(%s);
			};
			document.getElementById('prefix').value = 'sl_0123456789abcdef';
			document.getElementById('jwt').value = 'a.b.c';
			document.getElementById('from').value = '2026-01-01';
			document.querySelector('#history button').click();
			return true;
		})()`, response))
	}
	show(`Response.json({ key_prefix: 'sl_012345678', from: '2026-01-01', to: '2026-01-03', calls: 100, usage: [
		...[['2026-01-01', 'fspl', 40], ['2026-01-01', 'dipole', 20], ['2026-01-03', 'fspl', 30], ['2026-01-03', 'a', 4], ['2026-01-03', 'b', 3], ['2026-01-03', 'c', 2], ['2026-01-03', 'd', 1]]
			.map(([day, tool, calls]) => ({ day, tool, calls, computed: calls, invalid: 0, unserved: 0, compute_ms: calls / 2 }))] })`)
	p.until("document.querySelector('#chart svg')")
	p.expect("window.requested[0] === '/api/keys/sl_012345678/usage?from=2026-01-01' && window.requested[1] === 'Bearer a.b.c'")
	p.expect("document.querySelectorAll('#chart svg path:not(.rule)').length === 7")
	height := func(class string, i int) float64 {
		return eval[float64](p,
			fmt.Sprintf("document.querySelectorAll('#chart svg .%s')[%d].getBBox().height", class,
				i))
	}
	if a, b, c := height("u0", 0), height("u0", 1), height("u1", 0); a <= 0 || a/b < 1.33 ||
		a/b > 1.34 || a/c < 1.99 || a/c > 2.01 {
		p.Errorf("heights %g, %g and %g for 40, 30 and 20 calls", a, b, c)
	}
	p.expect(
		"document.querySelector('#chart .usage-key').textContent === 'fspldipoleabcother tools'")
	p.expect("document.querySelectorAll('#chart tbody tr').length === 6 && document.querySelector('#chart tbody tr').textContent.startsWith('fspl70')")
	p.until("document.getElementById('say').textContent === '100 calls from 2026-01-01 to 2026-01-03 (UTC)'")
	p.expect("[...document.querySelectorAll('#chart svg text')].slice(0, 3).map((t) => t.textContent).join() === '0,30,60'")
	p.seriousFaults("the usage chart")
	show(`Response.json({ key_prefix: 'sl_012345678', from: '2026-01-01', to: '2026-01-03', calls: 0, usage: [] })`)
	p.until(
		"document.querySelector('#chart').textContent === 'No calls from 2026-01-01 to 2026-01-03.'")
	p.excused = []string{"status of 401"}
	eval[bool](p, "(() => { window.fetch = (url, o) => Promise.resolve(new Response(JSON.stringify({ title: 'Unauthorized', status: 401 }), { status: 401 })); document.querySelector('#history button').click(); return true })()")
	p.until("document.querySelector('#chart .problem')?.textContent.includes('Unauthorized')")
}
