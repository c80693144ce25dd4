import type { Driver } from '@signalman/playground/driver'
import { resolveOwn, splitCommand } from '../src/bot/routes/lines.ts'
import { loadVerbs } from './bot/grammar/real-verbs.ts'

/** The lines of all buttons and menus that people see. */
function* findLines(part: unknown): Generator<string> {
  if (typeof part !== 'object' || part === null) return
  const { value } = part as { value?: unknown }
  if (typeof value === 'string' && value.startsWith('/')) yield value
  for (const child of Object.values(part)) yield* findLines(child)
}

/** The lines of buttons that the strict reader doesn't read, with why. */
export async function findUnreadLines({
  member,
  admin,
}: Pick<Driver, 'member' | 'admin'>): Promise<string[]> {
  const routes = await loadVerbs()
  const states = await Promise.all([member.state(), admin.state()])
  return [...new Set(states.flatMap((state) => [...findLines(state)]))].flatMap((line) => {
    try {
      resolveOwn(routes, splitCommand(line))
      return []
    } catch (error) {
      return `${line}: ${String(error)}`
    }
  })
}
