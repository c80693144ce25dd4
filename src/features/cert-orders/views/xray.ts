import { clip, oneLine } from '@signalman/slack'
import type { CsrFacts } from '../order.ts'
import { extensionLine, LINE } from './whole-request.ts'

const MOST_NOTES = 8
const MOST_EXTENSIONS = 8
const count = (many: number, one: string, more = `${one}s`): string => `${many} ${many === 1 ? one : more}`

/** What an approver has to know of a request before anything else, in one line. */
export function verdictOf(csr: CsrFacts): string {
  const { names, key, signature, warnings, extensions, look } = csr
  const odd = extensions.filter(({ why }) => why !== undefined)
  const noted = [
    ...odd.slice(0, 3).map(({ name, value }) => `${name.toLowerCase()} (${clip(oneLine(value), 60)})`),
    ...(odd.length > 3 ? [count(odd.length - 3, 'more extension')] : []),
    ...(look.total > 0 ? [`${look.total} of ${count(names.length, 'name')}`] : []),
    ...(warnings.length > 0 ? [`${count(warnings.length, 'warning')} below`] : []),
  ]
  if (noted.length > 0) return `⚠️ Deserves a look: ${noted.join('; ')}.`
  return `✅ Nothing unusual in the request: ${count(names.length, 'name')}, ${key}, ${signature}.`
}

/** Each name and extension that deserves a look, with its reason. */
export function noteLines({ look: { first, total }, extensions }: CsrFacts): string[] {
  const shown = first
    .slice(0, MOST_NOTES)
    .map(({ name, why }) => clip(oneLine(`${name}: ${why.join('; ')}`), LINE))
  const left = total - shown.length
  return [
    ...extensions
      .flatMap(({ name, why }) => (why === undefined ? [] : [clip(oneLine(`${name}: ${why}`), LINE)]))
      .slice(0, MOST_NOTES),
    ...shown,
    ...(left > 0 ? [`${left} more: the pages of all names have them.`] : []),
  ]
}

/** The requested extensions on a card; what does not fit is counted. */
export function extensionLines({ extensions, attributes }: CsrFacts): string[] {
  const shown = extensions.slice(0, MOST_EXTENSIONS).map((one) => clip(oneLine(extensionLine(one)), LINE))
  const left = extensions.length - shown.length
  return [
    ...shown,
    ...(left > 0 ? [`${count(left, 'more extension')}: the whole request has them.`] : []),
    ...(attributes.length > 0 ? [clip(oneLine(`Other attributes: ${attributes.join(', ')}`), LINE)] : []),
  ]
}
