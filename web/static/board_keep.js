// The kept placement of a board. The next run of its circuit reuses it, so that the router routes
// tracks only. It belongs to one tab.
import { smallButton } from './dom.js';
import { announce } from './shell.js';

const storageKey = 'board.kept';

/** Returns the placement that the tab has kept, or null. Storage may be blocked. */
function load() {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey));
  } catch {
    return null;
  }
}

function save(kept) {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(kept));
  } catch {
    // The placement is kept until the page is closed.
  }
}

/**
 * Returns the references and footprints of a request of pcb_layout as a text. Values and nets may
 * change without an effect on a placement. The footprints of a SPICE netlist follow from the names
 * of its elements and from fields.
 */
export function partsOf(request) {
  if (!request) return '';
  const { components, netlist = '', default_package, source_connector } = request;
  let parts;
  if (components) parts = components.map((c) => [c.ref, c.footprint].join(' '));
  else if (netlist.trimStart().startsWith('('))
    parts = netlist.match(/\(comp\s+\(ref\s+[^()]+|\(footprint\s+[^()]+/g) ?? [];
  else {
    const [, ...lines] = netlist.split('\n'); // the first line is the title
    parts = lines.map((l) => /^\s*([a-z]\S*)/i.exec(l)?.[1].toUpperCase() ?? '').filter(Boolean);
    parts.push(default_package, source_connector);
  }
  return JSON.stringify([parts.sort(), request.footprint_overrides]);
}

/** The line of the form that shows a kept placement. It adds the placement to requests. */
export class KeptPlacement {
  constructor(element) {
    this.element = element;
    this.#set(load());
  }

  #set(kept) {
    this.kept = kept;
    save(kept);
    this.element.hidden = !kept;
    if (!kept) return;
    const count = kept.placements.length;
    this.element.replaceChildren(
      `Placement kept: ${count} parts on ${kept.width_mm} × ${kept.height_mm} mm. `,
      smallButton('Discard placement', () => this.drop()),
    );
  }

  /** Keeps the positions of the parts of a board and its size, for requests of its circuit. */
  keep(result, request) {
    const { width_mm, height_mm } = result.board;
    this.#set({
      parts: partsOf(request),
      width_mm,
      height_mm,
      placements: result.placements.map(({ ref, x_mm, y_mm, rotation_deg, side }) => ({
        ref,
        x_mm,
        y_mm,
        rotation_deg,
        side,
        fixed: true,
      })),
    });
    announce('Placement kept');
  }

  drop() {
    if (this.kept) this.#set(null);
  }

  /** Drops the placement with a note if a request has other parts. */
  dropUnlessOf(request) {
    if (!this.kept || this.kept.parts === partsOf(request)) return;
    this.drop();
    this.element.textContent =
      'The kept placement was discarded: this circuit has other parts or footprints.';
    this.element.hidden = false;
    announce(this.element.textContent);
  }

  /**
   * Returns a request with the kept placement, if it is of the same circuit. The size and the
   * placements of the request itself take precedence.
   * @param {object} request of pcb_layout
   */
  addTo(request) {
    this.dropUnlessOf(request);
    if (!this.kept) return request;
    const own = request.placements ?? [];
    const added = this.kept.placements.filter((p) => !own.some((o) => o.ref === p.ref));
    const hasSize = request.width_mm || request.height_mm || request.outline?.length;
    const { width_mm, height_mm } = this.kept;
    return { ...(!hasSize && { width_mm, height_mm }), ...request, placements: [...own, ...added] };
  }
}
