import { hostsOf, registrarOf } from './addressees.ts'
import { timeOf } from './facts.ts'
import type { KitContent } from './kit.ts'
import { letterTo } from './letters.ts'
import type { Entry, Missing } from './manifest.ts'

export function lettersOf(
  content: KitContent,
  screenshot: string | undefined,
): { letters: Entry[]; missing: Missing[] } {
  const { id, environment, redactedEvent, indicators } = content
  const registrar = registrarOf(content, indicators)
  const { hosts, left } = hostsOf(content, indicators)
  const letters = [...(registrar ? [registrar] : []), ...hosts].map((to): Entry => {
    const system = to.system ? `-AS${to.system}` : ''
    return {
      name: `letter-${to.role}${system}.txt`,
      body: Buffer.from(letterTo(to, { id, environment, event: redactedEvent, screenshot })),
      what: `Letter to the ${to.role}, abuse contact ${to.contact ?? 'not known'}`,
      time: timeOf(redactedEvent.date),
    }
  })
  const missing: Missing[] = []
  if (!registrar)
    missing.push({
      what: 'letter to the registrar',
      why: 'No letter to a registrar: the event names no domain.',
    })
  if (hosts.length === 0)
    missing.push({
      what: 'letter to the host',
      why: 'No letter to a host: the event names nothing that it is about.',
    })
  if (left > 0)
    missing.push({
      what: 'letters to hosts',
      why: `No letters to ${left} more hosts: the first ${hosts.length} have one.`,
    })
  return { letters, missing }
}
