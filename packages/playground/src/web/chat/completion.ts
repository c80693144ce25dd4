import type { Channel, Person, SlashCommand } from '../../protocol.ts'

export interface Suggestion {
  key: string
  label: string
  /** How to go on, for a command: `list | show NAME`. */
  hint: string
  detail: string
  /** What takes the place of what was typed. */
  insert: string
}

export interface Completion {
  /** The part of the text that a suggestion replaces. */
  from: number
  to: number
  suggestions: Suggestion[]
}

export interface Known {
  commands: readonly SlashCommand[]
  people: readonly Person[]
  channels: readonly Channel[]
}

const MOST = 8

function commands(typed: string, known: Known): Suggestion[] {
  return known.commands
    .filter(({ command }) => command.toLowerCase().startsWith(typed.toLowerCase()))
    .map(({ command, description, usageHint }) => ({
      key: command,
      label: command,
      hint: usageHint,
      detail: description,
      insert: `${command} `,
    }))
}

function people(typed: string, known: Known): Suggestion[] {
  const wanted = typed.toLowerCase()
  return known.people
    .filter(
      ({ deleted, name, realName }) =>
        !deleted && [name, ...realName.split(' ')].some((word) => word.toLowerCase().startsWith(wanted)),
    )
    .map(({ id, name, realName }) => ({
      key: id,
      label: `@${name}`,
      hint: '',
      detail: realName,
      insert: `@${name} `,
    }))
}

function channels(typed: string, known: Known): Suggestion[] {
  return known.channels
    .filter(({ kind, name }) => kind === 'channel' && name.startsWith(typed.toLowerCase()))
    .map(({ id, name, topic }) => ({
      key: id,
      label: `#${name}`,
      hint: '',
      detail: topic,
      insert: `#${name} `,
    }))
}

/** What could stand where the caret is: a command at the start of the text, a person after `@`, a channel after `#`. */
export function complete(text: string, caret: number, known: Known): Completion | undefined {
  const typed = text.slice(0, caret)
  if (/^\/\S*$/.test(typed)) return offer(0, caret, commands(typed, known))
  const word = /(?:^|\s)([@#])([\p{L}\p{N}._-]*)$/u.exec(typed)
  if (!word) return undefined
  const [, sign, part = ''] = word
  const from = caret - part.length - 1
  return offer(from, caret, sign === '@' ? people(part, known) : channels(part, known))
}

function offer(from: number, to: number, suggestions: Suggestion[]): Completion | undefined {
  return suggestions.length > 0 ? { from, to, suggestions: suggestions.slice(0, MOST) } : undefined
}

/** The command that a text begins with, once it is whole: its hint stays visible while its arguments are typed. */
export function commandOf(text: string, known: readonly SlashCommand[]): SlashCommand | undefined {
  const word = /^\/\S+/.exec(text)?.[0].toLowerCase()
  return known.find(({ command }) => command.toLowerCase() === word)
}

export type Entry =
  | { kind: 'nothing' }
  | { kind: 'message'; text: string }
  | { kind: 'command'; command: string; text: string }
  | { kind: 'unknown-command'; command: string }

/** What sending a text would do. */
export function readEntry(text: string, known: readonly SlashCommand[]): Entry {
  const trimmed = text.trim()
  if (trimmed === '') return { kind: 'nothing' }
  const match = /^(\/[^\s/]+)(?:\s+([\s\S]*))?$/.exec(trimmed)
  if (!match?.[1]) return { kind: 'message', text: trimmed }
  const command = commandOf(match[1], known)
  if (!command) return { kind: 'unknown-command', command: match[1] }
  return { kind: 'command', command: command.command, text: match[2] ?? '' }
}

/**
 * Sends names as Slack's clients do: `@name` and `#name` of those who exist become their ids. The server escapes the
 * rest of what a person typed.
 */
export function withIds(text: string, known: Known): string {
  return text.replace(
    /(^|[\s(])([@#])([\p{L}\p{N}._-]+)/gu,
    (whole, before: string, sign: string, name: string) => {
      if (sign === '@' && ['here', 'channel', 'everyone'].includes(name)) return `${before}<!${name}>`
      const list: readonly { id: string; name: string }[] = sign === '@' ? known.people : known.channels
      const found = list.find((one) => one.name.toLowerCase() === name.toLowerCase())
      return found ? `${before}<${sign}${found.id}>` : whole
    },
  )
}
