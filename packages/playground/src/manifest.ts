import { readFileSync } from 'node:fs'
import type { Shortcut, SlashCommand } from './protocol.ts'

export interface Manifest {
  botName: string
  commands: SlashCommand[]
  shortcuts: Shortcut[]
  /** Event names that the app subscribes to. */
  botEvents: string[]
  /** What the bot's token may do. */
  scopes: string[]
  /** It may be installed for a whole organization. */
  isOrgReady: boolean
}

type Entry = Record<string, string>

const DEFAULTS: Manifest = {
  botName: 'app',
  commands: [],
  shortcuts: [],
  botEvents: ['app_home_opened', 'app_mention', 'message.im'],
  scopes: [],
  isOrgReady: false,
}

function unquote(text: string): string {
  const value = text.trim()
  const quoted = /^(['"])(.*)\1(?:\s+#.*)?$/.exec(value)
  return quoted ? (quoted[2] ?? '') : value.replace(/\s+#.*$/, '')
}

/** The lines of one YAML block, by the key that opens it, with what is indented deeper. */
function blockOf(lines: string[], key: string): string[] {
  const start = lines.findIndex((line) => new RegExp(`^\\s*${key}:\\s*$`).test(line))
  if (start < 0) return []
  const indent = (lines[start] ?? '').search(/\S/)
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => {
    const at = line.search(/\S/)
    return at >= 0 && (at < indent || (at === indent && !line.trimStart().startsWith('- ')))
  })
  return end < 0 ? rest : rest.slice(0, end)
}

/** A block's list of flat objects: `- name: value` and the keys under it. */
function entriesOf(lines: string[]): Entry[] {
  const entries: Entry[] = []
  for (const line of lines) {
    const match = /^\s*(-\s+)?([a-z_]+):\s+(.*)$/.exec(line)
    if (!match) continue
    if (match[1]) entries.push({})
    const entry = entries.at(-1)
    if (entry) entry[match[2] ?? ''] = unquote(match[3] ?? '')
  }
  return entries
}

/** A block's list of words: `- word`. */
function itemsOf(lines: string[]): string[] {
  return lines.flatMap((line) => {
    const match = /^\s*-\s+(.+)$/.exec(line)
    return match ? [unquote(match[1] ?? '')] : []
  })
}

/**
 * The commands, shortcuts, scopes, events and bot name of a Slack app manifest, in the part of YAML that manifests are written
 * in: two levels of keys and lists of flat objects. A file that is not there gives no commands; nothing throws.
 */
export function readManifest(path: string): Manifest {
  let lines: string[]
  try {
    lines = readFileSync(path, 'utf8').split(/\r?\n/)
  } catch {
    return DEFAULTS
  }
  const display = entriesOf(
    blockOf(lines, 'bot_user').map((line, index) => (index === 0 ? `- ${line.trim()}` : line)),
  )
  const events = itemsOf(blockOf(lines, 'bot_events'))
  return {
    botName: display[0]?.display_name ?? DEFAULTS.botName,
    commands: entriesOf(blockOf(lines, 'slash_commands')).flatMap((entry) =>
      entry.command
        ? [
            {
              command: entry.command,
              description: entry.description ?? '',
              usageHint: entry.usage_hint ?? '',
              ...(entry.should_escape === 'true' && { shouldEscape: true }),
            },
          ]
        : [],
    ),
    shortcuts: entriesOf(blockOf(lines, 'shortcuts')).flatMap((entry) =>
      entry.callback_id
        ? [
            {
              name: entry.name ?? entry.callback_id,
              callbackId: entry.callback_id,
              description: entry.description ?? '',
              kind: entry.type === 'message' ? ('message' as const) : ('global' as const),
            },
          ]
        : [],
    ),
    botEvents: events.length > 0 ? events : DEFAULTS.botEvents,
    scopes: itemsOf(blockOf(blockOf(lines, 'scopes'), 'bot')),
    isOrgReady: lines.some((line) => /^\s*org_deploy_enabled:\s*true\s*$/.test(line)),
  }
}
