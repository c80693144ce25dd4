import type { CommandWay, SlashCommand } from '../../protocol.ts'
import type { Completion, Suggestion } from './completion.ts'

/** One way to go on after a command, word by word: `show NAME` is a word as it is, and a place for another. */
type Way = readonly string[]

/** Words in capitals, in angle brackets or with dots stand for what a person puts there. */
const isPlace = (word: string): boolean => /^[<[]?[A-Z][A-Z0-9_-]*[>\]]?…?$|…|\.\.\./.test(word)

/** The ways that a usage hint names: `list | show NAME`, with or without brackets around it. */
export function readHint(hint: string): Way[] {
  return hint
    .replace(/^\s*\[(.*)\]\s*$/, '$1')
    .split('|')
    .map((way) =>
      way
        .trim()
        .split(/\s+/)
        .filter((word) => word !== ''),
    )
    .filter((way) => way.length > 0)
}

/** What a person has typed so far, word by word; what is in quotes is one word. */
function words(typed: string): string[] {
  return typed.match(/"[^"]*"?|\S+/g) ?? []
}

/** Whether the whole words typed so far go this way. */
function goes(way: Way, typed: readonly string[]): boolean {
  return typed.every((word, index) => {
    const wanted = way[index]
    return wanted !== undefined && (isPlace(wanted) || wanted.toLowerCase() === word.toLowerCase())
  })
}

/** What the command's hint offers next, where the caret is. */
export function completeArguments(
  text: string,
  caret: number,
  commands: readonly SlashCommand[],
): Completion | undefined {
  const typed = text.slice(0, caret)
  const [name = ''] = /^\/\S+(?=\s)/.exec(typed) ?? []
  const command = commands.find((one) => one.command.toLowerCase() === name.toLowerCase())
  if (!command) return undefined
  const given = words(typed.slice(name.length))
  const part = /\s$/.test(typed) ? '' : (given.pop() ?? '')
  const offer = (suggestions: Suggestion[]): Completion | undefined => {
    const isWhole = suggestions.length === 1 && suggestions[0]?.label === part
    if (suggestions.length === 0 || isWhole) return undefined
    return { from: caret - part.length, to: caret, suggestions, isEager: false }
  }
  if (command.ways && command.ways.length > 0) return offer(nextOf(command.ways, given, part.toLowerCase()))
  const offered = new Map<string, Suggestion>()
  for (const way of readHint(command.usageHint)) {
    const next = way[given.length]
    if (next === undefined || isPlace(next) || !goes(way, given) || !next.startsWith(part.toLowerCase()))
      continue
    const rest = way.slice(given.length + 1).join(' ')
    const known = offered.get(next)
    const hint = known && known.hint !== '' && rest !== '' ? `${known.hint} | ${rest}` : known?.hint || rest
    offered.set(next, { key: next, label: next, hint, detail: '', insert: `${next} ` })
  }
  return offer([...offered.values()])
}

/** The verbs first, then the options of one, then the values of an option. */
function nextOf(ways: readonly CommandWay[], given: readonly string[], part: string): Suggestion[] {
  const suggest = (label: string, hint = '', detail = ''): Suggestion[] =>
    label.toLowerCase().startsWith(part) ? [{ key: label, label, hint, detail, insert: `${label} ` }] : []
  const [verb] = given
  if (verb === undefined)
    return ways.flatMap((way) => (way.verb ? suggest(way.verb, way.rest, way.does) : []))
  const own = ways.find((way) => way.verb === verb.toLowerCase())
  const asked = own?.options.find(({ flag }) => `--${flag}` === given.at(-1)?.toLowerCase())
  if (asked && asked.values.length > 0) return asked.values.flatMap((value) => suggest(value))
  return (own?.options ?? [])
    .filter(({ flag }) => !given.includes(`--${flag}`))
    .flatMap(({ flag, values, does }) => suggest(`--${flag}`, values.join(' | '), does))
}
