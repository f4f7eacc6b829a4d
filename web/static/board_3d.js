// The assembled board in three dimensions, drawn with WebGL on demand. Both faces are the realistic
// view as a texture; bodies of parts are prisms on their courtyards, of the usual height of their
// package.
import { BoardView } from './board_view.js';
import { standalone } from './board_files.js';
import { el } from './dom.js';

/** Heights above the board in mm, by the beginning of a footprint's name, and colours of bodies. Sources: IPC-7351 and JEDEC outlines (MS-012, MO-153, MO-150, MS-026, MO-220, TO-236), data sheets of common makers. */
const bodies = [
  [/^R_(0402|0603)|^F_0603/, 0.45, [0.12, 0.12, 0.13]],
  [/^R_AXIAL/, 2.5, [0.78, 0.66, 0.47]],
  [/^(R|F)_/, 0.6, [0.12, 0.12, 0.13]],
  [/^CP_TANT/, 2.1, [0.85, 0.6, 0.15]],
  [/^CP_RADIAL/, 11, [0.1, 0.13, 0.3]],
  [/^C_DISC/, 6, [0.8, 0.55, 0.25]],
  [/^C_/, 0.9, [0.68, 0.55, 0.4]],
  [/^L_/, 2, [0.25, 0.25, 0.27]],
  [/^LED_5MM/, 8.6, [0.85, 0.25, 0.2]],
  [/^LED_/, 0.8, [0.9, 0.9, 0.82]],
  [/^SOD/, 1.2, [0.1, 0.1, 0.1]],
  [/^SM[ABC]\b/, 2.4, [0.1, 0.1, 0.1]],
  [/^D_/, 2.5, [0.15, 0.12, 0.1]],
  [/^SOT-223|^TO-252/, 2, [0.1, 0.1, 0.1]],
  [/^SOT/, 1.1, [0.1, 0.1, 0.1]],
  [/^TO-92/, 7, [0.1, 0.1, 0.1]],
  [/^TO-220/, 19, [0.1, 0.1, 0.1]],
  [/^SOIC|^SO-/, 1.75, [0.1, 0.1, 0.1]],
  [/^(TSSOP|MSOP|VSSOP)/, 1.2, [0.1, 0.1, 0.1]],
  [/^SSOP/, 2, [0.1, 0.1, 0.1]],
  [/^[TL]QFP/, 1.2, [0.1, 0.1, 0.1]],
  [/^(QFN|DFN|WSON|VQFN)/, 0.9, [0.1, 0.1, 0.1]],
  [/^DIP/, 4.5, [0.1, 0.1, 0.1]],
  [/^PinHeader|^PinSocket/, 8.5, [0.12, 0.12, 0.12]],
  [/^TerminalBlock/, 10, [0.1, 0.45, 0.2]],
  [/^USB/, 3.2, [0.72, 0.73, 0.75]],
  [/^CRYSTAL_\d{4}$/, 0.8, [0.75, 0.76, 0.78]],
  [/^(CRYSTAL|HC-?49)/, 4, [0.75, 0.76, 0.78]],
  [/^SW_/, 4.3, [0.2, 0.2, 0.21]],
  [/^POT_/, 10, [0.1, 0.25, 0.55]],
];
const otherHeight = 2; // mm, of a package outside the list
const excess = 0.25; // mm of courtyard around a body, IPC-7351B nominal
const laminate = [0.55, 0.5, 0.28];
const background = { light: [0.93, 0.945, 0.96], dark: [0.08, 0.1, 0.12] };
const texturePixels = 2048;
const narrow = 0.9; // width over height of a canvas below which the board would be cut off

const bodyOf = (footprint) => bodies.find(([name]) => name.test(footprint));

/** The courtyard without its excess, around its centre. */
function shrunk(ring) {
  const points = ring.map((p) => [p.x_mm, p.y_mm]);
  const [cx, cy] = [0, 1].map((k) => points.reduce((s, p) => s + p[k], 0) / points.length);
  return points.map(([x, y]) => {
    const d = Math.hypot(x - cx, y - cy);
    const kept = Math.max(0.3, 1 - (excess * Math.SQRT2) / (d || 1));
    return [cx + (x - cx) * kept, cy + (y - cy) * kept];
  });
}

/** Triangles as x, y, z, normal, colour: nine numbers a corner. */
class Mesh {
  data = [];

  triangle(a, b, c, color) {
    const [u, v] = [b, c].map((p) => p.map((n, i) => n - a[i]));
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(...n) || 1;
    for (const p of [a, b, c]) this.data.push(...p, ...n.map((k) => k / length), ...color);
  }

  /** The walls of a prism between two heights, and its lid for a convex ring. */
  prism(ring, low, high, color, lid) {
    ring.forEach(([x, y], i) => {
      const [x2, y2] = ring[(i + 1) % ring.length];
      this.triangle([x, y, low], [x2, y2, low], [x2, y2, high], color);
      this.triangle([x, y, low], [x2, y2, high], [x, y, high], color);
    });
    if (lid === undefined) return;
    for (let i = 1; i + 1 < ring.length; i++)
      this.triangle([...ring[0], lid], [...ring[i], lid], [...ring[i + 1], lid], color);
  }
}

/** The solid parts of a board, and the footprints whose height is not known. */
export function solids(result) {
  const mesh = new Mesh();
  const thickness = result.board.thickness_mm;
  mesh.prism(
    result.board.outline.map((p) => [p.x_mm, p.y_mm]),
    0,
    thickness,
    laminate,
  );
  const unknown = new Set();
  for (const p of result.placements) {
    if (!p.courtyard?.length) continue;
    const body = bodyOf(p.footprint);
    if (!body) unknown.add(p.footprint);
    const [, height, color] = body ?? [undefined, otherHeight, [0.3, 0.3, 0.32]];
    const [low, high] = p.side === 'bottom' ? [-height, 0] : [thickness, thickness + height];
    mesh.prism(shrunk(p.courtyard), low, high, color, p.side === 'bottom' ? low : high);
  }
  return { data: new Float32Array(mesh.data), unknown: [...unknown] };
}

const multiply = (a, b) =>
  Array.from({ length: 16 }, (_, i) =>
    [0, 1, 2, 3].reduce((s, k) => s + a[k * 4 + (i % 4)] * b[(i >> 2) * 4 + k], 0),
  );

/** The matrix from the board to the screen: turned by yaw and pitch around its centre, seen from a distance in mm. */
function camera({ yaw, pitch, distance }, center, aspect) {
  const [c, s, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  const move = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, ...center.map((v) => -v), 1];
  const turn = [c, s * cp, s * sp, 0, -s, c * cp, c * sp, 0, 0, -sp, cp, 0, 0, 0, -distance, 1];
  const [near, far, f] = [distance / 50, distance * 5, 1.8];
  const lens = [
    f / Math.max(aspect, 0.2),
    0,
    0,
    0,
    0,
    f,
    0,
    0,
    0,
    0,
    (far + near) / (near - far),
    -1,
    0,
    0,
    (2 * far * near) / (near - far),
    0,
  ];
  return new Float32Array(multiply(lens, multiply(turn, move)));
}

const vertexSolid =
  'attribute vec3 p, n, c; uniform mat4 m; varying vec3 v; void main() { float l = .5 + .5 * abs(dot(n, normalize(vec3(.35, -.45, .85)))); v = c * l; gl_Position = m * vec4(p, 1.); }';
const pixelSolid =
  'precision mediump float; varying vec3 v; void main() { gl_FragColor = vec4(v, 1.); }';
const vertexFace =
  'attribute vec3 p; attribute vec2 t; uniform mat4 m; varying vec2 u; void main() { u = t; gl_Position = m * vec4(p, 1.); }';
const pixelFace =
  'precision mediump float; varying vec2 u; uniform sampler2D s; void main() { vec4 c = texture2D(s, u); if (c.a < .5) discard; gl_FragColor = vec4(c.rgb, 1.); }';

function program(gl, vertex, pixel) {
  const p = gl.createProgram();
  for (const [kind, text] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, pixel],
  ]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(p, shader);
  }
  gl.linkProgram(p);
  if (!gl.getProgramParameter(p, gl.LINK_STATUS))
    throw new Error(gl.getProgramInfoLog(p) || 'WebGL cannot draw the board.');
  return p;
}

/** The realistic view of a side as a canvas, in the colour of a solder mask. */
async function face(result, side, mask, host) {
  const view = new BoardView(result, () => {});
  view.arrange(side);
  view.svg.setAttribute('class', `board-svg real mask-${mask}`);
  view.box = { x: 0, y: 0, w: view.size.w, h: view.size.h };
  view.svg.setAttribute('viewBox', `0 0 ${view.size.w} ${view.size.h}`);
  const holder = el('div', { class: 'unseen', 'aria-hidden': 'true' }, view.svg);
  host.append(holder);
  const address = URL.createObjectURL(new Blob([standalone(view)], { type: 'image/svg+xml' }));
  holder.remove();
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = texturePixels / Math.max(view.size.w, view.size.h);
    const canvas = el('canvas', {
      width: Math.round(view.size.w * scale),
      height: Math.round(view.size.h * scale),
    });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas;
  } finally {
    URL.revokeObjectURL(address);
  }
}

/**
 * Draws the board into an element, with its buttons.
 * @param {string} mask colour of the solder mask: green, red, blue, black, white, purple
 * @returns {Promise<() => void>} frees the graphics memory
 */
export async function board3D(element, result, mask) {
  const canvas = el('canvas', {
    class: 'board-3d',
    tabindex: 0,
    role: 'img',
    'aria-label': 'Assembled board in three dimensions. Arrow keys turn it, plus and minus zoom.',
  });
  const gl = canvas.getContext('webgl', { antialias: true, alpha: false });
  if (!gl) {
    element.replaceChildren(
      el(
        'p',
        { class: 'problem' },
        'This browser has no WebGL, so the board is not drawn in three dimensions. The flat view shows all of it.',
      ),
    );
    return () => {};
  }
  const { data, unknown } = solids(result);
  const { width_mm: w, height_mm: h, thickness_mm: t } = result.board;
  const size = Math.hypot(w, h);
  const start = { yaw: -0.5, pitch: -0.85, distance: size * 1.4 };
  let eye = { ...start };
  const faces = await Promise.all(
    ['top', 'bottom'].map((side) => face(result, side, mask, element)),
  );

  const [solid, flat] = [program(gl, vertexSolid, pixelSolid), program(gl, vertexFace, pixelFace)];
  const buffer = (values) => {
    const b = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, b);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    return b;
  };
  const prisms = buffer(data);
  const lift = 0.02; // mm above the laminate, so that the faces win
  const quads = [
    [t + lift, 0, 1],
    [-lift, 1, 0],
  ].map(([z, left, right]) =>
    buffer(
      new Float32Array(
        [
          [0, 0],
          [w, 0],
          [0, h],
          [w, h],
        ].flatMap(([x, y]) => [x, y, z, x === 0 ? left : right, y === 0 ? 1 : 0]),
      ),
    ),
  );
  const textures = faces.map((image) => {
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
    for (const [name, value] of [
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_MIN_FILTER, gl.LINEAR],
    ])
      gl.texParameteri(gl.TEXTURE_2D, name, value);
    return texture;
  });
  gl.enable(gl.DEPTH_TEST);

  const attribute = (p, name, size_, stride, offset) => {
    const at = gl.getAttribLocation(p, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size_, gl.FLOAT, false, stride * 4, offset * 4);
  };
  let waiting = 0;
  const draw = () => {
    waiting = 0;
    const ratio = Math.min(2, devicePixelRatio);
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    gl.viewport(0, 0, canvas.width, canvas.height);
    const isDark =
      getComputedStyle(document.documentElement).colorScheme === 'dark' ||
      (getComputedStyle(document.documentElement).colorScheme !== 'light' &&
        matchMedia('(prefers-color-scheme: dark)').matches);
    gl.clearColor(...background[isDark ? 'dark' : 'light'], 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const aspect = canvas.width / canvas.height;
    const m = camera(
      { ...eye, distance: eye.distance * Math.max(1, narrow / aspect) },
      [w / 2, h / 2, t / 2],
      aspect,
    );
    gl.useProgram(solid);
    gl.uniformMatrix4fv(gl.getUniformLocation(solid, 'm'), false, m);
    gl.bindBuffer(gl.ARRAY_BUFFER, prisms);
    attribute(solid, 'p', 3, 9, 0);
    attribute(solid, 'n', 3, 9, 3);
    attribute(solid, 'c', 3, 9, 6);
    gl.drawArrays(gl.TRIANGLES, 0, data.length / 9);
    gl.useProgram(flat);
    gl.uniformMatrix4fv(gl.getUniformLocation(flat, 'm'), false, m);
    quads.forEach((q, i) => {
      gl.bindTexture(gl.TEXTURE_2D, textures[i]);
      gl.bindBuffer(gl.ARRAY_BUFFER, q);
      attribute(flat, 'p', 3, 5, 0);
      attribute(flat, 't', 2, 5, 3);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    });
  };
  const later = () => {
    waiting ||= requestAnimationFrame(draw);
  };
  const turn = (dx, dy) => {
    eye.yaw += dx;
    eye.pitch += dy;
    later();
  };
  const zoom = (by) => {
    eye.distance = Math.min(size * 6, Math.max(size * 0.25, eye.distance * by));
    later();
  };
  const look = (next) => {
    eye = { ...start, ...next };
    later();
  };
  canvas.addEventListener('pointerdown', (e) => canvas.setPointerCapture(e.pointerId));
  canvas.addEventListener('pointermove', (e) => {
    if (e.buttons) turn(e.movementX / 150, e.movementY / 150);
  });
  canvas.addEventListener(
    'wheel',
    (e) => {
      e.preventDefault();
      zoom(Math.exp(e.deltaY / 600));
    },
    { passive: false },
  );
  canvas.addEventListener('keydown', (e) => {
    const arrow = {
      ArrowLeft: [-0.1, 0],
      ArrowRight: [0.1, 0],
      ArrowUp: [0, -0.1],
      ArrowDown: [0, 0.1],
    }[e.key];
    if (arrow) turn(...arrow);
    else if (e.key === '+' || e.key === '=') zoom(0.85);
    else if (e.key === '-') zoom(1 / 0.85);
    else if (e.key === '0') look({});
    else return;
    e.preventDefault();
    e.stopPropagation();
  });
  const button = (text, label, act) =>
    el(
      'button',
      { type: 'button', class: 'small', title: label, 'aria-label': label, onclick: act },
      text,
    );
  element.replaceChildren(
    canvas,
    el(
      'p',
      { class: 'picker' },
      button('Above', 'View from above', () => look({ yaw: 0, pitch: 0 })),
      button('Below', 'View from below', () => look({ yaw: 0, pitch: Math.PI })),
      button('Oblique', 'Oblique view (0)', () => look({})),
      button('⟲', 'Turn left', () => turn(-0.3, 0)),
      button('⟳', 'Turn right', () => turn(0.3, 0)),
      button('+', 'Zoom in', () => zoom(0.85)),
      button('−', 'Zoom out', () => zoom(1 / 0.85)),
    ),
    el(
      'p',
      { class: 'absent' },
      `Bodies fill the courtyards; their heights are usual ones of each package. Check clearances with the data sheets.${unknown.length ? ` Assumed ${otherHeight} mm: ${unknown.join(', ')}.` : ''}`,
    ),
  );
  const sized = new ResizeObserver(later);
  sized.observe(canvas);
  document.addEventListener('scheme', later);
  draw();
  return () => {
    sized.disconnect();
    document.removeEventListener('scheme', later);
    cancelAnimationFrame(waiting);
    gl.getExtension('WEBGL_lose_context')?.loseContext();
  };
}
