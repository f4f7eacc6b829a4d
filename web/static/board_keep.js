// The placement of a board, reused by the next one, which then routes its tracks only.
import { el } from './dom.js';
import { loadSetting, saveSetting } from './store.js';
import { announce } from './shell.js';

const key = 'board.kept';

/** The line of the form that tells of a kept placement, and what of it goes into a request. */
export class KeptPlacement {
  constructor(element) {
    this.element = element;
    this.#set(loadSetting(key, null));
  }

  #set(kept) {
    this.kept = kept;
    saveSetting(key, kept);
    this.element.hidden = !kept;
    this.element.replaceChildren(
      ...(kept
        ? [
            `Placement kept: ${kept.placements.length} parts on ${kept.width_mm} × ${kept.height_mm} mm. `,
            el(
              'button',
              { type: 'button', class: 'small', onclick: () => this.drop() },
              'Place anew',
            ),
          ]
        : []),
    );
  }

  /** Keeps where the parts of a board stand. */
  take(result) {
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

  /** A request with the placement. What the request itself says of the board and of a part stands; refs are its parts, where they are known. */
  into(request, refs) {
    if (!this.kept) return request;
    const own = request.placements ?? [];
    const added = this.kept.placements.filter(
      (p) => !own.some((o) => o.ref === p.ref) && (!refs || refs.includes(p.ref)),
    );
    const sized = request.width_mm || request.height_mm || request.outline?.length;
    const { width_mm, height_mm } = this.kept;
    return { ...(!sized && { width_mm, height_mm }), ...request, placements: [...own, ...added] };
  }
}
