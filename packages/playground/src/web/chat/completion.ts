import type { SlashCommand } from '../../protocol/protocol.ts'

/** The app's commands that begin with what is typed before the caret, if that is the beginning of a command. */
export function suggestCommands(
  text: string,
  caret: number,
  commands: readonly SlashCommand[],
): SlashCommand[] {
  const typed = /^\/\S*$/.exec(text.slice(0, caret))?.[0].toLowerCase()
  return typed === undefined ? [] : commands.filter(({ command }) => command.toLowerCase().startsWith(typed))
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
