// The assembled board in three dimensions, drawn with WebGL on demand. The textures of both sides
// are the realistic view. The body of a part is a prism on its courtyard, with the usual height of
// its package.
import { BoardView } from './board_view.js';
import { rasterize, standaloneSvg } from './board_files.js';
import { h, smallButton } from './dom.js';

/**
 * Bodies of parts by the beginning of the footprint's name: height above the board in mm, and
 * colour. Sources: IPC-7351 and JEDEC outlines (MS-012, MO-153, MO-150, MS-026, MO-220, TO-236),
 * data sheets of common makers.
 */
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
const defaultHeightMm = 2; // of a footprint that is not in the list
const defaultColour = [0.3, 0.3, 0.32];
const courtyardExcessMm = 0.25; // around a body, IPC-7351B nominal
const laminateColour = [0.55, 0.5, 0.28];
const backgrounds = { light: [0.93, 0.945, 0.96], dark: [0.08, 0.1, 0.12] };
const texturePixels = 2048;
const narrowAspect = 0.9; // width over height below which the camera moves away
const faceGapMm = 0.02; // between laminate and texture, against z-fighting
const turnStep = 0.1; // radians per key
const buttonTurnStep = 0.3; // radians per press
const zoomInFactor = 0.85; // of the distance, per key or press

const solidStride = 9; // numbers per vertex: position, normal, colour
const faceStride = 5; // position, texture coordinates

const bodyOf = (footprint) => bodies.find(([name]) => name.test(footprint));

/** Returns a courtyard without its excess, as [x, y] points in mm. */
function shrinkCourtyard(ring) {
  const points = ring.map((p) => [p.x_mm, p.y_mm]);
  const [cx, cy] = [0, 1].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
  return points.map(([x, y]) => {
    const distance = Math.hypot(x - cx, y - cy);
    const factor = Math.max(0.3, 1 - (courtyardExcessMm * Math.SQRT2) / (distance || 1));
    return [cx + (x - cx) * factor, cy + (y - cy) * factor];
  });
}

/** Triangles of the solid parts, as solidStride numbers per vertex. */
class Mesh {
  data = [];

  triangle(a, b, c, colour) {
    const [u, v] = [b, c].map((p) => p.map((n, i) => n - a[i]));
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(...n) || 1;
    for (const p of [a, b, c]) this.data.push(...p, ...n.map((k) => k / length), ...colour);
  }

  /** Adds the walls of a prism between two heights, and its lid at a height for a convex ring. */
  prism(ring, low, high, colour, lid) {
    ring.forEach(([x, y], i) => {
      const [x2, y2] = ring[(i + 1) % ring.length];
      this.triangle([x, y, low], [x2, y2, low], [x2, y2, high], colour);
      this.triangle([x, y, low], [x2, y2, high], [x, y, high], colour);
    });
    if (lid === undefined) return;
    for (let i = 1; i + 1 < ring.length; i++)
      this.triangle([...ring[0], lid], [...ring[i], lid], [...ring[i + 1], lid], colour);
  }
}

/**
 * Returns the triangles of the laminate and of the bodies.
 * @returns {{data: Float32Array, unknown: string[]}} unknown: footprints without a known height
 */
export function solids(result) {
  const mesh = new Mesh();
  const thickness = result.board.thickness_mm;
  const outline = result.board.outline.map((p) => [p.x_mm, p.y_mm]);
  mesh.prism(outline, 0, thickness, laminateColour);
  const unknown = new Set();
  for (const p of result.placements) {
    if (!p.courtyard?.length) continue;
    const body = bodyOf(p.footprint);
    if (!body) unknown.add(p.footprint);
    const [, height, colour] = body ?? [undefined, defaultHeightMm, defaultColour];
    const [low, high] = p.side === 'bottom' ? [-height, 0] : [thickness, thickness + height];
    mesh.prism(shrinkCourtyard(p.courtyard), low, high, colour, p.side === 'bottom' ? low : high);
  }
  return { data: new Float32Array(mesh.data), unknown: [...unknown] };
}

/** Multiplies 4 × 4 matrices in column-major order. */
const multiply = (a, b) =>
  Array.from({ length: 16 }, (_, i) =>
    [0, 1, 2, 3].reduce((sum, k) => sum + a[k * 4 + (i % 4)] * b[(i >> 2) * 4 + k], 0),
  );

/**
 * Returns the matrix from the board to the screen, in column-major order.
 * @param {{yaw: number, pitch: number, distance: number}} camera angles in radians, distance in mm
 * @param {number[]} center of the board in mm
 * @param {number} aspect width over height of the canvas
 */
function viewMatrix({ yaw, pitch, distance }, center, aspect) {
  const [c, s, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  const [near, far, focal] = [distance / 50, distance * 5, 1.8];
  const translation = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, ...center.map((v) => -v), 1];
  const rotation = [c, s * cp, s * sp, 0, -s, c * cp, c * sp, 0, 0, -sp, cp, 0, 0, 0, -distance, 1];
  const projection = Array(16).fill(0);
  projection[0] = focal / Math.max(aspect, 0.2);
  projection[5] = focal;
  projection[10] = (far + near) / (near - far);
  projection[11] = -1;
  projection[14] = (2 * far * near) / (near - far);
  return new Float32Array(multiply(projection, multiply(rotation, translation)));
}

const solidVertexShader = `
attribute vec3 p, n, c;
uniform mat4 m;
varying vec3 v;
void main() {
  float l = .5 + .5 * abs(dot(n, normalize(vec3(.35, -.45, .85))));
  v = c * l;
  gl_Position = m * vec4(p, 1.);
}`;
const solidFragmentShader = `
precision mediump float;
varying vec3 v;
void main() { gl_FragColor = vec4(v, 1.); }`;
const faceVertexShader = `
attribute vec3 p;
attribute vec2 t;
uniform mat4 m;
varying vec2 u;
void main() {
  u = t;
  gl_Position = m * vec4(p, 1.);
}`;
const faceFragmentShader = `
precision mediump float;
varying vec2 u;
uniform sampler2D s;
void main() {
  vec4 c = texture2D(s, u);
  if (c.a < .5) discard;
  gl_FragColor = vec4(c.rgb, 1.);
}`;

/** Compiles a program; throws an Error with the log of WebGL. */
function linkProgram(gl, vertexShader, fragmentShader) {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, vertexShader],
    [gl.FRAGMENT_SHADER, fragmentShader],
  ]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS))
    throw new Error(gl.getProgramInfoLog(program) || 'WebGL cannot draw the board.');
  return program;
}

/** Draws the realistic view of a side on a canvas. mask is the colour of the solder mask. */
async function drawFace(result, side, mask, host) {
  const view = new BoardView(result, () => {});
  view.showSide(side);
  view.svg.setAttribute('class', `board-svg real mask-${mask}`);
  const { size } = view;
  view.box = { x: 0, y: 0, ...size };
  view.svg.setAttribute('viewBox', `0 0 ${size.w} ${size.h}`);
  // Only elements of the document have computed styles.
  const holder = h('div', { class: 'unseen', 'aria-hidden': 'true' }, view.svg);
  host.append(holder);
  const svg = standaloneSvg(view);
  holder.remove();
  const scale = texturePixels / Math.max(size.w, size.h);
  return rasterize(svg, Math.round(size.w * scale), Math.round(size.h * scale));
}

function createBuffer(gl, values) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
  return buffer;
}

function createTexture(gl, image) {
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
}

/** Returns the vertices of a side at height z. left and right are texture coordinates. */
function faceVertices({ width_mm: width, height_mm: height }, z, left, right) {
  const corners = [
    [0, 0],
    [width, 0],
    [0, height],
    [width, height],
  ];
  return new Float32Array(
    corners.flatMap(([x, y]) => [x, y, z, x === 0 ? left : right, y === 0 ? 1 : 0]),
  );
}

function setAttribute(gl, program, name, size, stride, offset) {
  const location = gl.getAttribLocation(program, name);
  gl.enableVertexAttribArray(location);
  gl.vertexAttribPointer(location, size, gl.FLOAT, false, stride * 4, offset * 4);
}

/**
 * Uploads a board to WebGL.
 * @param {Float32Array} data triangles of solids()
 * @param {HTMLCanvasElement[]} images of the top and the bottom
 * @returns {(matrix: Float32Array, background: number[]) => void} draws the board
 */
function createScene(gl, board, data, images) {
  const solidProgram = linkProgram(gl, solidVertexShader, solidFragmentShader);
  const faceProgram = linkProgram(gl, faceVertexShader, faceFragmentShader);
  const solidBuffer = createBuffer(gl, data);
  const faceBuffers = [
    faceVertices(board, board.thickness_mm + faceGapMm, 0, 1),
    faceVertices(board, -faceGapMm, 1, 0),
  ].map((vertices) => createBuffer(gl, vertices));
  const textures = images.map((image) => createTexture(gl, image));
  gl.enable(gl.DEPTH_TEST);
  return (matrix, background) => {
    gl.viewport(0, 0, gl.canvas.width, gl.canvas.height);
    gl.clearColor(...background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.useProgram(solidProgram);
    gl.uniformMatrix4fv(gl.getUniformLocation(solidProgram, 'm'), false, matrix);
    gl.bindBuffer(gl.ARRAY_BUFFER, solidBuffer);
    setAttribute(gl, solidProgram, 'p', 3, solidStride, 0);
    setAttribute(gl, solidProgram, 'n', 3, solidStride, 3);
    setAttribute(gl, solidProgram, 'c', 3, solidStride, 6);
    gl.drawArrays(gl.TRIANGLES, 0, data.length / solidStride);
    gl.useProgram(faceProgram);
    gl.uniformMatrix4fv(gl.getUniformLocation(faceProgram, 'm'), false, matrix);
    faceBuffers.forEach((buffer, i) => {
      gl.bindTexture(gl.TEXTURE_2D, textures[i]);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      setAttribute(gl, faceProgram, 'p', 3, faceStride, 0);
      setAttribute(gl, faceProgram, 't', 2, faceStride, 3);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    });
  };
}

function isDark() {
  const { colorScheme } = getComputedStyle(document.documentElement);
  if (colorScheme === 'dark' || colorScheme === 'light') return colorScheme === 'dark';
  return matchMedia('(prefers-color-scheme: dark)').matches;
}

/** Listens to the pointer, the wheel and the keys on the canvas. */
function listenToCanvas(canvas, viewer) {
  canvas.addEventListener('pointerdown', (e) => canvas.setPointerCapture(e.pointerId));
  canvas.addEventListener('pointermove', (e) => {
    if (e.buttons) viewer.turn(e.movementX / 150, e.movementY / 150);
  });
  canvas.addEventListener(
    'wheel',
    (e) => {
      e.preventDefault();
      viewer.zoom(Math.exp(e.deltaY / 600));
    },
    { passive: false },
  );
  const keys = {
    ArrowLeft: () => viewer.turn(-turnStep, 0),
    ArrowRight: () => viewer.turn(turnStep, 0),
    ArrowUp: () => viewer.turn(0, -turnStep),
    ArrowDown: () => viewer.turn(0, turnStep),
    '+': () => viewer.zoom(zoomInFactor),
    '=': () => viewer.zoom(zoomInFactor),
    '-': () => viewer.zoom(1 / zoomInFactor),
    0: () => viewer.look({}),
  };
  canvas.addEventListener('keydown', (e) => {
    if (!Object.hasOwn(keys, e.key)) return;
    keys[e.key]();
    e.preventDefault();
    e.stopPropagation();
  });
}

function drawButtons(viewer) {
  const button = (text, label, onclick) =>
    smallButton(text, onclick, { title: label, 'aria-label': label });
  return h(
    'p',
    { class: 'picker' },
    button('Above', 'View from above', () => viewer.look({ yaw: 0, pitch: 0 })),
    button('Below', 'View from below', () => viewer.look({ yaw: 0, pitch: Math.PI })),
    button('Oblique', 'Oblique view (0)', () => viewer.look({})),
    button('⟲', 'Turn left', () => viewer.turn(-buttonTurnStep, 0)),
    button('⟳', 'Turn right', () => viewer.turn(buttonTurnStep, 0)),
    button('+', 'Zoom in', () => viewer.zoom(zoomInFactor)),
    button('−', 'Zoom out', () => viewer.zoom(1 / zoomInFactor)),
  );
}

const noWebGL =
  'This browser has no WebGL, so the board is not drawn in three dimensions. The flat view shows all of it.';

/** The view of a board from a camera that turns around it. */
class Viewer {
  #canvas;
  #board;
  #drawScene;
  #size; // diagonal of the board in mm
  #start; // the oblique camera: angles in radians, distance in mm
  #camera;
  #frame = 0; // id of the requested animation frame
  #resizeObserver = new ResizeObserver(() => this.#requestDraw());
  #onScheme = () => this.#requestDraw();

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {object} board of the result
   * @param {(matrix: Float32Array, background: number[]) => void} drawScene
   */
  constructor(canvas, board, drawScene) {
    this.#canvas = canvas;
    this.#board = board;
    this.#drawScene = drawScene;
    this.#size = Math.hypot(board.width_mm, board.height_mm);
    this.#start = { yaw: -0.5, pitch: -0.85, distance: this.#size * 1.4 };
    this.#camera = { ...this.#start };
  }

  /** Draws the board, and again after each change of the canvas or of the colours. */
  show() {
    this.#resizeObserver.observe(this.#canvas);
    document.addEventListener('scheme', this.#onScheme);
    this.#draw();
  }

  /** Turns the camera by angles in radians. */
  turn(yaw, pitch) {
    this.#camera.yaw += yaw;
    this.#camera.pitch += pitch;
    this.#requestDraw();
  }

  /** Multiplies the distance of the camera, within limits. */
  zoom(factor) {
    const distance = this.#camera.distance * factor;
    this.#camera.distance = Math.min(this.#size * 6, Math.max(this.#size * 0.25, distance));
    this.#requestDraw();
  }

  /** Looks from given angles, or obliquely without them. */
  look(angles) {
    this.#camera = { ...this.#start, ...angles };
    this.#requestDraw();
  }

  #requestDraw() {
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#frame = 0;
    const canvas = this.#canvas;
    const ratio = Math.min(2, devicePixelRatio);
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    const aspect = canvas.width / canvas.height;
    const distance = this.#camera.distance * Math.max(1, narrowAspect / aspect);
    const { width_mm: x, height_mm: y, thickness_mm: z } = this.#board;
    const matrix = viewMatrix({ ...this.#camera, distance }, [x / 2, y / 2, z / 2], aspect);
    this.#drawScene(matrix, backgrounds[isDark() ? 'dark' : 'light']);
  }

  destroy() {
    this.#resizeObserver.disconnect();
    document.removeEventListener('scheme', this.#onScheme);
    cancelAnimationFrame(this.#frame);
  }
}

/** Returns the note about the heights of the bodies. unknown are footprints without a height. */
function heightNote(unknown) {
  const assumed = unknown.length ? ` Assumed ${defaultHeightMm} mm: ${unknown.join(', ')}.` : '';
  return `Bodies fill the courtyards; their heights are usual ones of each package. Check clearances with the data sheets.${assumed}`;
}

/**
 * Draws the board into an element, with its buttons.
 * @param {string} mask colour of the solder mask: green, red, blue, black, white, purple
 * @returns {Promise<() => void>} frees the graphics memory
 */
export async function draw3D(element, result, mask) {
  const canvas = h('canvas', {
    class: 'board-3d',
    tabindex: 0,
    role: 'img',
    'aria-label': 'Assembled board in three dimensions. Arrow keys turn it, plus and minus zoom.',
  });
  const gl = canvas.getContext('webgl', { antialias: true, alpha: false });
  if (!gl) {
    element.replaceChildren(h('p', { class: 'problem' }, noWebGL));
    return () => {};
  }
  const { data, unknown } = solids(result);
  const images = await Promise.all(
    ['top', 'bottom'].map((side) => drawFace(result, side, mask, element)),
  );
  const viewer = new Viewer(canvas, result.board, createScene(gl, result.board, data, images));
  listenToCanvas(canvas, viewer);
  element.replaceChildren(
    canvas,
    drawButtons(viewer),
    h('p', { class: 'absent' }, heightNote(unknown)),
  );
  viewer.show();
  return () => {
    viewer.destroy();
    gl.getExtension('WEBGL_lose_context')?.loseContext();
  };
}
