// Moving a part on a finished board: by the pointer, or by the arrow keys from one of its pads. Lines
// to the nearest pads of its nets follow it; where it is left, the board is routed again.
import { el, svg } from './dom.js';
import { announce } from './shell.js';

const grid = 0.1; // mm, of the pointer
const stride = 0.5; // mm, per press of an arrow

const inside = (ring, x, y) =>
  ring.reduce((odd, a, i) => {
    const b = ring[(i + 1) % ring.length];
    const cuts =
      a.y_mm > y !== b.y_mm > y &&
      x < ((b.x_mm - a.x_mm) * (y - a.y_mm)) / (b.y_mm - a.y_mm) + a.x_mm;
    return cuts ? !odd : odd;
  }, false);

/** The nearest pad of the same net on another part for each pad of a part that is moved by (dx, dy): [[x1, y1, x2, y2]]. */
export function ratsnest(result, part, dx, dy) {
  return part.pads
    .filter((p) => p.net !== null && p.net !== undefined)
    .flatMap((p) => {
      const [x, y] = [p.x_mm + dx, p.y_mm + dy];
      let best;
      let least = Infinity;
      for (const other of result.placements) {
        if (other === part) continue;
        for (const q of other.pads) {
          const d = Math.hypot(q.x_mm - x, q.y_mm - y);
          if (q.net === p.net && d < least) [best, least] = [q, d];
        }
      }
      return best ? [[x, y, best.x_mm, best.y_mm]] : [];
    });
}

/** The displacement that keeps the courtyard of a part on the board. */
function bounded(result, part, dx, dy) {
  const [xs, ys] = ['x_mm', 'y_mm'].map((k) => part.courtyard.map((p) => p[k]));
  const keep = (d, list, size) =>
    Math.min(Math.max(d, -Math.min(...list)), size - Math.max(...list));
  const round = (d) => Math.round(d / grid) * grid;
  return [keep(round(dx), xs, result.board.width_mm), keep(round(dy), ys, result.board.height_mm)];
}

/** The parts on the same side whose courtyard would overlap that of a moved part. */
export function overlapped(result, part, dx, dy) {
  const moved = part.courtyard.map((p) => ({ x_mm: p.x_mm + dx, y_mm: p.y_mm + dy }));
  const middle = (ring) =>
    ['x_mm', 'y_mm'].map((k) => ring.reduce((sum, p) => sum + p[k], 0) / ring.length);
  const crosses = (a, b) =>
    [
      middle(a),
      ...a.map((p) => [p.x_mm, p.y_mm]),
      ...a.map((p, i) => [
        (p.x_mm + a[(i + 1) % a.length].x_mm) / 2,
        (p.y_mm + a[(i + 1) % a.length].y_mm) / 2,
      ]),
    ].some(([x, y]) => inside(b, x, y));
  return result.placements
    .filter(
      (p) =>
        p !== part &&
        p.side === part.side &&
        p.courtyard?.length &&
        (crosses(moved, p.courtyard) || crosses(p.courtyard, moved)),
    )
    .map((p) => p.ref);
}

/**
 * The button that lets parts be moved. onMove gets the part's reference and its new place, and routes; it returns
 * why it does not, else ''.
 * @param {import('./board_view.js').BoardView} view @param {HTMLElement} stage
 * @param {(ref: string, x_mm: number, y_mm: number) => Promise<string>} onMove
 */
export function dragParts(view, stage, tell, onMove) {
  const { result } = view;
  let held; // { part, from, dx, dy }
  const button = el(
    'button',
    {
      type: 'button',
      class: 'small',
      id: 'move-parts',
      'aria-pressed': 'false',
      title: 'Drag a part, or move it by the arrow keys from one of its pads and press Enter',
      onclick: () => {
        const isOn = button.getAttribute('aria-pressed') === 'false';
        button.setAttribute('aria-pressed', String(isOn));
        stage.classList.toggle('moving', isOn);
        leave();
        tell(isOn ? 'Drag a part; it is routed again where you leave it' : '');
      },
    },
    'Move parts',
  );
  const isOn = () => button.getAttribute('aria-pressed') === 'true';

  function draw() {
    const { part, dx, dy } = held;
    const at = (x, y) => view.seen(x, y).join(' ');
    const ring = part.courtyard.map((p) => at(p.x_mm + dx, p.y_mm + dy)).join('L');
    const lines = ratsnest(result, part, dx, dy);
    view.over.replaceChildren(
      svg('path', { class: 'moved', d: `M${ring}Z` }),
      svg('path', {
        class: 'pull',
        d: lines.map(([x1, y1, x2, y2]) => `M${at(x1, y1)}L${at(x2, y2)}`).join('') || 'M0 0',
      }),
      ...part.pads.map((p) => {
        const [x, y] = view.seen(p.x_mm + dx, p.y_mm + dy);
        return svg('circle', {
          class: 'moved',
          cx: x,
          cy: y,
          r: Math.min(p.width_mm ?? 1, p.height_mm ?? 1) / 2,
        });
      }),
    );
    const blocked = overlapped(result, part, dx, dy);
    view.over.classList.toggle('blocked', blocked.length > 0);
    const length = lines.reduce((sum, [x1, y1, x2, y2]) => sum + Math.hypot(x2 - x1, y2 - y1), 0);
    tell(
      `${part.ref} at ${(part.x_mm + dx).toFixed(1)}, ${(part.y_mm + dy).toFixed(1)} mm, connections ${length.toFixed(1)} mm${blocked.length ? `; overlaps ${blocked.join(', ')}` : ''}`,
    );
  }

  function move(dx, dy) {
    [held.dx, held.dy] = bounded(result, held.part, dx, dy);
    draw();
  }

  function leave() {
    held = undefined;
    view.over.replaceChildren();
  }

  async function place() {
    const { part, dx, dy } = held;
    const blocked = overlapped(result, part, dx, dy);
    if ((dx === 0 && dy === 0) || blocked.length) {
      leave();
      tell(
        blocked.length
          ? `${part.ref} stays where it was: its courtyard would overlap that of ${blocked.join(', ')}`
          : '',
      );
      if (blocked.length) announce(`${part.ref} would overlap ${blocked.join(', ')}`);
      return;
    }
    held = undefined;
    const why = await onMove(
      part.ref,
      Number((part.x_mm + dx).toFixed(4)),
      Number((part.y_mm + dy).toFixed(4)),
    );
    if (why) {
      leave();
      tell(`${part.ref} stays where it was: ${why}`);
    }
    announce(
      why ? `${part.ref} was not moved: ${why}` : `${part.ref} moved; the board is routed again`,
    );
  }

  stage.addEventListener(
    'pointerdown',
    (event) => {
      if (!isOn() || event.button !== 0) return;
      const [x, y] = view.under(event.clientX, event.clientY);
      const hit = result.placements.filter((p) => p.courtyard?.length && inside(p.courtyard, x, y));
      const part = hit.find((p) => p.side === view.side) ?? hit[0];
      if (!part) return;
      held = { part, from: [x, y], dx: 0, dy: 0 };
      stage.setPointerCapture(event.pointerId);
      event.stopPropagation();
      event.preventDefault();
      draw();
    },
    true,
  );
  stage.addEventListener(
    'pointermove',
    (event) => {
      if (!held?.from) return;
      event.stopPropagation();
      const [x, y] = view.under(event.clientX, event.clientY);
      move(x - held.from[0], y - held.from[1]);
    },
    true,
  );
  stage.addEventListener(
    'pointerup',
    (event) => {
      if (!held?.from) return;
      event.stopPropagation();
      place();
    },
    true,
  );
  stage.addEventListener('pointercancel', () => held?.from && leave(), true);
  stage.addEventListener(
    'click',
    (event) => {
      if (isOn()) event.stopPropagation();
    },
    true,
  );
  stage.addEventListener(
    'keydown',
    (event) => {
      if (!isOn()) return;
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[
        event.key
      ];
      const ref = event.target.closest?.('.pad')?.dataset.pin.replace(/\.[^.]*$/, '');
      if (by && ref) {
        const part = result.placements.find((p) => p.ref === ref && p.courtyard?.length);
        if (!part) return;
        if (held?.part !== part) held = { part, dx: 0, dy: 0 };
        move(held.dx + by[0] * stride * (view.side === 'top' ? 1 : -1), held.dy + by[1] * stride);
      } else if (event.key === 'Enter' && held) place();
      else if (event.key === 'Escape' && held) leave();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
  return button;
}
