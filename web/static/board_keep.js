// The kept placement of a board. The next board reuses it, so that the router routes tracks only.
import { smallButton } from './dom.js';
import { loadSetting, saveSetting } from './store.js';
import { announce } from './shell.js';

const storageKey = 'board.kept';

/** The line of the form that shows a kept placement. It adds the placement to requests. */
export class KeptPlacement {
  constructor(element) {
    this.element = element;
    this.#set(loadSetting(storageKey, null));
  }

  #set(kept) {
    this.kept = kept;
    saveSetting(storageKey, kept);
    this.element.hidden = !kept;
    if (!kept) {
      this.element.replaceChildren();
      return;
    }
    const count = kept.placements.length;
    this.element.replaceChildren(
      `Placement kept: ${count} parts on ${kept.width_mm} × ${kept.height_mm} mm. `,
      smallButton('Discard placement', () => this.drop()),
    );
  }

  /** Keeps the positions of the parts of a board and its size. */
  keep(result) {
    const { width_mm, height_mm } = result.board;
    this.#set({
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

  /**
   * Returns a request with the kept placement. The size and the placements of the request itself
   * take precedence.
   * @param {object} request of pcb_layout
   * @param {string[]} [refs] references of the parts of the request, undefined if unknown
   */
  addTo(request, refs) {
    if (!this.kept) return request;
    const own = request.placements ?? [];
    const added = this.kept.placements.filter(
      (p) => !own.some((o) => o.ref === p.ref) && (!refs || refs.includes(p.ref)),
    );
    const hasSize = request.width_mm || request.height_mm || request.outline?.length;
    const { width_mm, height_mm } = this.kept;
    return { ...(!hasSize && { width_mm, height_mm }), ...request, placements: [...own, ...added] };
  }
}
