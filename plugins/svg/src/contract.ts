export { type Cleaned, cleanSvg, type SvgFault } from './clean.ts'
export { leftOutText } from './left-out.ts'
