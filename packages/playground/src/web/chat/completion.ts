import type { Channel, Person, SlashCommand } from '../../protocol/protocol.ts'
import { shownName } from '../people.ts'

export interface Suggestion {
  key: string
  /** The text to insert. */
  label: string
  /** A command's usage hint: `list | show NAME`. */
  hint?: string
  detail: string
}

export interface Completion {
  /** The range of the text that a suggestion replaces. */
  from: number
  to: number
  suggestions: Suggestion[]
}

export interface CompletionSources {
  commands: readonly SlashCommand[]
  people: readonly Person[]
  channels: readonly Channel[]
}

const MAX_SUGGESTIONS = 8

/** Finds the suggestions for the text that was typed after `/`, `@`, or `#`. */
function findSuggestions(
  trigger: string,
  typed: string,
  { commands, people, channels }: CompletionSources,
): Suggestion[] {
  const prefix = typed.toLowerCase()
  const startsWith = (...names: string[]) => names.some((name) => name.toLowerCase().startsWith(prefix))
  if (trigger === '/')
    return commands
      .filter(({ command }) => startsWith(command.slice(1)))
      .map(({ command, description, usageHint }) => ({
        key: command,
        label: command,
        hint: usageHint,
        detail: description,
      }))
  if (trigger === '@')
    return people
      .filter((person) => !person.deleted && startsWith(person.name, ...shownName(person).split(' ')))
      .map((person) => ({ key: person.id, label: `@${person.name}`, detail: shownName(person) }))
  return channels
    .filter(({ kind, name }) => kind === 'channel' && startsWith(name))
    .map(({ id, name, topic }) => ({ key: id, label: `#${name}`, detail: topic }))
}

/** Finds the suggestions at the caret: commands at the start of the text, people after `@`, and channels after `#`. */
export function findCompletion(
  text: string,
  caret: number,
  sources: CompletionSources,
): Completion | undefined {
  const typed = text.slice(0, caret)
  const [, trigger = '', word = ''] =
    /^(\/)(\S*)$/.exec(typed) ?? /(?:^|\s)([@#])([\p{L}\p{N}._-]*)$/u.exec(typed) ?? []
  const suggestions = trigger === '' ? [] : findSuggestions(trigger, word, sources).slice(0, MAX_SUGGESTIONS)
  return suggestions.length > 0 ? { from: caret - word.length - 1, to: caret, suggestions } : undefined
}

/** Finds the app's command that the text starts with, so that its hint stays visible while arguments are typed. */
export function findCommand(text: string, commands: readonly SlashCommand[]): SlashCommand | undefined {
  const word = /^\/\S+/.exec(text)?.[0].toLowerCase()
  return commands.find(({ command }) => command.toLowerCase() === word)
}

export type ParsedEntry =
  | { kind: 'nothing' }
  | { kind: 'message'; text: string }
  | { kind: 'command'; command: string; text: string }
  | { kind: 'unknown-command'; command: string }

/** Decides what to send for the typed text: nothing, a message, or a slash command. */
export function parseEntry(text: string, commands: readonly SlashCommand[]): ParsedEntry {
  const trimmed = text.trim()
  if (trimmed === '') return { kind: 'nothing' }
  const match = /^(\/[^\s/]+)(?:\s+([\s\S]*))?$/.exec(trimmed)
  if (!match?.[1]) return { kind: 'message', text: trimmed }
  const command = findCommand(match[1], commands)
  if (!command) return { kind: 'unknown-command', command: match[1] }
  return { kind: 'command', command: command.command, text: match[2] ?? '' }
}

/** Converts `@name` and `#name` to mentions if the name exists, as Slack's clients do. The server escapes all other text. */
export function toMentions(text: string, sources: CompletionSources): string {
  return text.replace(
    /(^|[\s(])([@#])([\p{L}\p{N}._-]+)/gu,
    (match, before: string, marker: string, name: string) => {
      if (marker === '@' && ['here', 'channel', 'everyone'].includes(name)) return `${before}<!${name}>`
      const list: readonly { id: string; name: string }[] = marker === '@' ? sources.people : sources.channels
      const target = list.find((item) => item.name.toLowerCase() === name.toLowerCase())
      return target ? `${before}<${marker}${target.id}>` : match
    },
  )
}
