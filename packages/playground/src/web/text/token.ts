import { type Inline, SAFE_URL, text } from './nodes.ts'

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

/** Decodes Slack's three entities once: `&amp;lt;` becomes `&lt;`. */
export function decodeEntities(value: string): string {
  return value.replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity)
}

const RANGES = new Set(['here', 'channel', 'everyone'])

/** Parses `date^timestamp^format^link`. The label is the fallback text. Only the link is optional. */
function parseDateToken(command: string, label: string | undefined): Inline | undefined {
  const [, seconds = '', format = '', url] = command.split('^')
  if (!/^-?\d{1,12}$/.test(seconds) || format === '' || label === undefined) return undefined
  const link = url !== undefined && SAFE_URL.test(decodeEntities(url)) ? { url: decodeEntities(url) } : {}
  return {
    kind: 'date',
    timestamp: Number(seconds),
    format: decodeEntities(format),
    fallback: decodeEntities(label),
    ...link,
  }
}

function parseCommand(command: string, label: string | undefined): Inline | undefined {
  const name = command.split('^')[0] ?? ''
  if (RANGES.has(name)) return { kind: 'broadcast', range: name }
  if (name === 'date') return parseDateToken(command, label)
  if (name === 'subteam') {
    const id = command.split('^')[1] ?? ''
    return { kind: 'usergroup', id, ...(label ? { label: decodeEntities(label) } : {}) }
  }
  return label === undefined ? undefined : text(decodeEntities(label))
}

/**
 * Parses the content between `<` and `>`: a mention, a link, or a date. Returns undefined for anything else, which the caller shows
 * unchanged. A link's label is plain text.
 */
export function parseToken(body: string): Inline | undefined {
  const separator = body.indexOf('|')
  const target = separator < 0 ? body : body.slice(0, separator)
  const label = separator < 0 ? undefined : body.slice(separator + 1)
  const labelField = label ? { label: decodeEntities(label) } : {}
  if (/^@[UW][A-Z0-9]+$/.test(target)) return { kind: 'user', id: target.slice(1), ...labelField }
  if (/^#[CGD][A-Z0-9]+$/.test(target)) return { kind: 'channel', id: target.slice(1), ...labelField }
  if (target.startsWith('!')) return parseCommand(target.slice(1), label)
  const url = decodeEntities(target)
  if (!SAFE_URL.test(url)) return undefined
  return { kind: 'link', url, children: [text(label ? decodeEntities(label) : url.replace(/^mailto:/i, ''))] }
}
