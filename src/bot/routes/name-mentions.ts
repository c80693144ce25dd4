import type { Arguments } from '../grammar/read-words.ts'
import type { CommandContext } from './command-context.ts'
import type { Verb } from './routes.ts'

const MENTION = /@([UW][A-Z0-9]{6,})\b/g

/** Slack sends a person who was picked in a line as an ID. In a text that others read, such as a note, it becomes `@handle`. */
export async function nameMentions(
  context: Pick<CommandContext, 'slack'>,
  { parameters = [] }: Verb,
  args: Arguments,
): Promise<Arguments> {
  const name = parameters.find(({ isProse }) => isProse)?.name
  const text = (name && args.values[name]) ?? ''
  const ids = new Set([...text.matchAll(MENTION)].map(([, id = '']) => id))
  if (!name || ids.size === 0) return args
  const slack = await context.slack()
  const people = await Promise.all([...ids].map((id) => slack.readPerson(id).catch(() => undefined)))
  const handles = new Map([...ids].map((id, index) => [id, people[index]?.handle ?? id]))
  const named = text.replace(MENTION, (_, id: string) => `@${handles.get(id)}`)
  return { ...args, values: { ...args.values, [name]: named } }
}
