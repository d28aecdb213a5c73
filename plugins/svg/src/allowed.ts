import { isPlainCss } from './css.ts'

/** Brings the value of an attribute into the form in which it is kept; undefined where it may not stand there. */
export type Grammar = (value: string) => string | undefined

const matching =
  (form: RegExp): Grammar =>
  (value) =>
    form.test(value) ? value : undefined

/** Anything: it is written with its marks escaped, and nobody follows it. */
const text: Grammar = (value) => value
/** Numbers, lengths, paths, transformations, keywords and lists of them: nothing with which an address begins. */
const data = matching(
  /^(?:(?:matrix|translate|scale|rotate|skew[XY])\s*\([\w\s.,+-]{0,1024}\)|[\w\s.,;%+\-*/])*$/,
)
/** Moments: `00:01.5`, `a.click+2s`, `a.repeat(2)`. */
const timing = matching(
  /^(?:(?:repeat|accessKey|wallclock)\([\w\s.:+-]{0,64}\)|[\w\s.,;+-]|(?<=\d):(?=\d))*$/,
)
const word = matching(/^[\w-]*$/)
const id = matching(/^[^\s"'()<>&]{1,1024}$/)
const style: Grammar = (value) => (isPlainCss(value, 'value') ? value : undefined)
/** The value of one property, in which no colon stands. */
const css: Grammar = (value) => (value.includes(':') ? undefined : style(value))

const LOCAL = /^#[^\s"'()<>&#]{1,1024}$/
/** A part of the same document. */
const local: Grammar = (value) => {
  const trimmed = value.trim()
  return LOCAL.test(trimmed) ? trimmed : undefined
}

const PIXELS = /^data:image\/(png|jpeg|gif|webp);base64,([a-z\d+/]+={0,2})$/i
/** A part of the same document, or a picture that stands in the address itself. */
const picture: Grammar = (value) => {
  const [, type, bytes] = PIXELS.exec(value.replace(/\s+/g, '')) ?? []
  return type === undefined ? local(value) : `data:image/${type.toLowerCase()};base64,${bytes}`
}

type Attributes = ReadonlyMap<string, Grammar>

const all = (grammar: Grammar, names: string): readonly (readonly [string, Grammar])[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => [name, grammar] as const)

/** Presentation attributes of SVG 1.1 and 2, which are CSS. */
const PRESENTATION = `alignment-baseline baseline-shift clip clip-path clip-rule color color-interpolation
  color-interpolation-filters color-rendering cursor direction display dominant-baseline enable-background fill
  fill-opacity fill-rule filter flood-color flood-opacity font font-family font-size font-size-adjust font-stretch
  font-style font-variant font-weight glyph-orientation-horizontal glyph-orientation-vertical image-rendering isolation
  kerning letter-spacing lighting-color marker marker-end marker-mid marker-start mask mask-type mix-blend-mode opacity
  overflow paint-order pointer-events shape-rendering stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset
  stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration
  text-overflow text-rendering transform-box transform-origin unicode-bidi vector-effect visibility white-space
  word-spacing writing-mode`
const GEOMETRY = 'x y width height cx cy r rx ry x1 y1 x2 y2 fx fy fr d points transform dx dy rotate offset'

/** What an animation may change. */
const ANIMATED = new Set(
  `${PRESENTATION} ${GEOMETRY} viewBox preserveAspectRatio gradientTransform patternTransform textLength startOffset
  stdDeviation baseFrequency numOctaves seed scale radius order azimuth elevation surfaceScale specularConstant
  specularExponent diffuseConstant k1 k2 k3 k4 slope intercept amplitude exponent tableValues in in2 result
  pathLength markerWidth markerHeight refX refY orient class`.split(/\s+/),
)
const animated: Grammar = (value) => (ANIMATED.has(value) ? value : undefined)

const COMMON = [
  ...all(style, 'style'),
  ...all(css, PRESENTATION),
  ...all(id, 'id'),
  ...all(text, 'class lang role aria-label aria-labelledby aria-describedby aria-hidden systemLanguage'),
  ...all(data, 'transform tabindex'),
]

const element = (...own: readonly (readonly (readonly [string, Grammar])[])[]): Attributes =>
  new Map([...COMMON, ...own.flat()])

const BOX = all(data, 'x y width height')
const FIT = all(data, 'viewBox preserveAspectRatio')
const HREF = all(local, 'href')
const PATH = all(data, 'pathLength')
const PRIMITIVE = [...BOX, ...all(id, 'in result')]
const STOPS = [...HREF, ...all(data, 'gradientUnits gradientTransform spreadMethod')]
const GLYPHS = all(data, 'x y dx dy rotate textLength lengthAdjust')
const LIGHT = all(data, 'x y z')
const TRANSFER = element(all(data, 'type tableValues slope intercept amplitude exponent offset'))
const TIMED = [
  ...HREF,
  ...all(animated, 'attributeName'),
  ...all(timing, 'begin dur end min max repeatCount repeatDur keyTimes keySplines keyPoints'),
  ...all(word, 'attributeType restart fill calcMode additive accumulate'),
  ...all(css, 'from to by values'),
]

/** Every element that may stand in a picture, and what each of its attributes may hold. Names are exact. */
export const ELEMENTS: ReadonlyMap<string, Attributes> = new Map<string, Attributes>([
  ['svg', element(BOX, FIT, all(data, 'version baseProfile zoomAndPan'))],
  ['g', element()],
  ['defs', element()],
  ['symbol', element(BOX, FIT, all(data, 'refX refY'))],
  ['use', element(BOX, HREF)],
  ['switch', element()],
  ['a', element(HREF)],
  ['view', element(FIT)],
  ['title', element()],
  ['desc', element()],
  ['style', element(all(matching(/^(?:text\/css)?$/i), 'type'), all(data, 'media'))],
  ['path', element(all(data, 'd'), PATH)],
  ['rect', element(BOX, PATH, all(data, 'rx ry'))],
  ['circle', element(PATH, all(data, 'cx cy r'))],
  ['ellipse', element(PATH, all(data, 'cx cy rx ry'))],
  ['line', element(PATH, all(data, 'x1 y1 x2 y2'))],
  ['polyline', element(PATH, all(data, 'points'))],
  ['polygon', element(PATH, all(data, 'points'))],
  ['text', element(GLYPHS)],
  ['tspan', element(GLYPHS)],
  ['textPath', element(HREF, all(data, 'startOffset method spacing side textLength lengthAdjust'))],
  ['image', element(BOX, all(picture, 'href'), all(data, 'preserveAspectRatio'))],
  [
    'marker',
    element(all(data, 'viewBox preserveAspectRatio refX refY markerUnits markerWidth markerHeight orient')),
  ],
  ['pattern', element(BOX, FIT, HREF, all(data, 'patternUnits patternContentUnits patternTransform'))],
  ['clipPath', element(all(data, 'clipPathUnits'))],
  ['mask', element(BOX, all(data, 'maskUnits maskContentUnits'))],
  ['linearGradient', element(STOPS, all(data, 'x1 y1 x2 y2'))],
  ['radialGradient', element(STOPS, all(data, 'cx cy r fx fy fr'))],
  ['stop', element(all(data, 'offset'))],
  ['filter', element(BOX, HREF, all(data, 'filterUnits primitiveUnits filterRes'))],
  ['feBlend', element(PRIMITIVE, all(id, 'in2'), all(data, 'mode'))],
  ['feColorMatrix', element(PRIMITIVE, all(data, 'type values'))],
  ['feComponentTransfer', element(PRIMITIVE)],
  ['feComposite', element(PRIMITIVE, all(id, 'in2'), all(data, 'operator k1 k2 k3 k4'))],
  [
    'feConvolveMatrix',
    element(
      PRIMITIVE,
      all(data, 'order kernelMatrix divisor bias targetX targetY edgeMode kernelUnitLength preserveAlpha'),
    ),
  ],
  ['feDiffuseLighting', element(PRIMITIVE, all(data, 'surfaceScale diffuseConstant kernelUnitLength'))],
  [
    'feDisplacementMap',
    element(PRIMITIVE, all(id, 'in2'), all(data, 'scale xChannelSelector yChannelSelector')),
  ],
  ['feDistantLight', element(all(data, 'azimuth elevation'))],
  ['feDropShadow', element(PRIMITIVE, all(data, 'dx dy stdDeviation'))],
  ['feFlood', element(PRIMITIVE)],
  ['feFuncR', TRANSFER],
  ['feFuncG', TRANSFER],
  ['feFuncB', TRANSFER],
  ['feFuncA', TRANSFER],
  ['feGaussianBlur', element(PRIMITIVE, all(data, 'stdDeviation edgeMode'))],
  ['feImage', element(PRIMITIVE, HREF, all(data, 'preserveAspectRatio'))],
  ['feMerge', element(PRIMITIVE)],
  ['feMergeNode', element(all(id, 'in'))],
  ['feMorphology', element(PRIMITIVE, all(data, 'operator radius'))],
  ['feOffset', element(PRIMITIVE, all(data, 'dx dy'))],
  ['fePointLight', element(LIGHT)],
  [
    'feSpecularLighting',
    element(PRIMITIVE, all(data, 'surfaceScale specularConstant specularExponent kernelUnitLength')),
  ],
  [
    'feSpotLight',
    element(LIGHT, all(data, 'pointsAtX pointsAtY pointsAtZ specularExponent limitingConeAngle')),
  ],
  ['feTile', element(PRIMITIVE)],
  ['feTurbulence', element(PRIMITIVE, all(data, 'baseFrequency numOctaves seed stitchTiles type'))],
  ['animate', element(TIMED)],
  ['set', element(TIMED)],
  ['animateTransform', element(TIMED, all(data, 'type'))],
  ['animateMotion', element(TIMED, all(data, 'path rotate origin'))],
  ['mpath', element(HREF)],
])

/** Elements that hold text alone: what stands in one where a page is read as HTML is no SVG any more. */
export const TEXT_ALONE: ReadonlySet<string> = new Set(['title', 'desc', 'style'])

/** Elements that change attributes of others. */
export const ANIMATIONS: ReadonlySet<string> = new Set([
  'animate',
  'set',
  'animateTransform',
  'animateMotion',
])

/** Attributes of the namespace of XML itself. */
export const OF_XML: Attributes = new Map([
  ...all(text, 'lang'),
  ...all(matching(/^(?:default|preserve)$/), 'space'),
])
