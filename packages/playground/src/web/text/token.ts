import { type Inline, SAFE_URL, text } from './nodes.ts'

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

/** Decodes Slack's three entities once: `&amp;lt;` becomes `&lt;`. */
export function decode(value: string): string {
  return value.replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity)
}

const RANGES = new Set(['here', 'channel', 'everyone'])

/** `!date^timestamp^format^link|fallback`. Only the link is optional. */
function dateToken(command: string, label: string | undefined): Inline | undefined {
  const [, seconds = '', format = '', url] = command.split('^')
  if (!/^-?\d{1,12}$/.test(seconds) || format === '' || label === undefined) return undefined
  const link = url !== undefined && SAFE_URL.test(decode(url)) ? { url: decode(url) } : {}
  return {
    kind: 'date',
    timestamp: Number(seconds),
    format: decode(format),
    fallback: decode(label),
    ...link,
  }
}

function parseCommand(command: string, label: string | undefined): Inline | undefined {
  const name = command.split('^')[0] ?? ''
  if (RANGES.has(name)) return { kind: 'broadcast', range: name }
  if (name === 'date') return dateToken(command, label)
  if (name === 'subteam') {
    const id = command.split('^')[1] ?? ''
    return { kind: 'usergroup', id, ...(label ? { label: decode(label) } : {}) }
  }
  return label === undefined ? undefined : text(decode(label))
}

/**
 * Parses the content between `<` and `>`: a mention, a link, or a date. Undefined for anything else, which the caller shows unchanged.
 * A link's label is plain text.
 */
export function parseToken(body: string): Inline | undefined {
  const separator = body.indexOf('|')
  const target = separator < 0 ? body : body.slice(0, separator)
  const label = separator < 0 ? undefined : body.slice(separator + 1)
  const labelField = label ? { label: decode(label) } : {}
  if (/^@[UW][A-Z0-9]+$/.test(target)) return { kind: 'user', id: target.slice(1), ...labelField }
  if (/^#[CGD][A-Z0-9]+$/.test(target)) return { kind: 'channel', id: target.slice(1), ...labelField }
  if (target.startsWith('!')) return parseCommand(target.slice(1), label)
  const url = decode(target)
  if (!SAFE_URL.test(url)) return undefined
  return { kind: 'link', url, children: [text(label ? decode(label) : url.replace(/^mailto:/i, ''))] }
}
