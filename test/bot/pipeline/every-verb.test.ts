import { describe, expect, it } from 'vitest'
import { commandOf, createResolveLine, createVerbOf } from '../../../src/bot/routes/resolve-line.ts'
import type { Verb } from '../../../src/bot/routes/routes.ts'
import { startWorld } from '../../world.ts'

/**
 * Every verb that there is, and what running its line comes to: `reads` changes nothing and is never noted; `opens` is a
 * window, whose form is the act; `acts` is done once. A new verb must say what it is.
 */
const VERBS: Readonly<Record<string, 'reads' | 'opens' | 'acts' | 'opens and acts' | 'by its words'>> = {
  '/hc': 'reads',
  '/hc list': 'reads',
  '/hc show': 'reads',
  '/hc create': 'opens',
  '/hc edit': 'opens',
  '/hc delete': 'opens',
  '/hc edit-anyway': 'acts',
  '/hc undo': 'reads',
  '/hc export': 'acts',
  '/hc import': 'opens',
  '/hc filter': 'opens',
  '/hc recipients': 'reads',
  '/hc diagnose': 'reads',
  '/hc bulk': 'opens',
  '/hc bulk-apply': 'acts',
  '/hc bulk-cancel': 'reads',
  '/hc bulk-file': 'acts',
  '/hc clone': 'reads',
  '/hc jobs': 'reads',
  '/hc job-start': 'acts',
  '/hc job-stop': 'acts',
  '/hc bulk-show': 'reads',
  '/hc bulk-none-given': 'acts',
  '/hc job-undo': 'acts',
  '/hc alerts': 'reads',
  '/hc alert-add': 'opens',
  '/hc alert-edit': 'opens',
  '/hc alert-recipients': 'opens',
  '/hc alert-remove': 'opens',
  '/hc watch': 'acts',
  '/hc unwatch': 'acts',
  '/hc watches': 'reads',
  '/hc watches-export': 'acts',
  '/hc watch-edit': 'opens',
  '/hc watch-hand-over': 'opens',
  '/hc watch-step-down': 'acts',
  '/hc watch-test': 'acts',
  '/hc watch-resume': 'acts',
  '/hc maintenance': 'by its words',
  '/hc maintenance-edit': 'opens',
  '/hc maintenance-end': 'acts',
  '/hc timeline': 'reads',
  '/hc mute': 'by its words',
  '/hc unmute': 'acts',
  '/hc watch-ack': 'acts',
  '/hc history': 'reads',
  '/hc connect': 'opens',
  '/hc disconnect': 'opens',
  '/hc tokens': 'reads',
  '/hc token-generate': 'opens and acts',
  '/hc env': 'by its words',
  '/hc access': 'opens',
  '/hc whoami': 'reads',
  '/hc grant': 'acts',
  '/hc access-request': 'acts',
  '/hc access-grant': 'acts',
  '/hc access-decline': 'acts',
  '/hc audit': 'by its words',
  '/hc audit-mine': 'reads',
  '/hc handover': 'reads',
  '/hc handover-file': 'acts',
  '/hc handover-start': 'acts',
  '/hc job-show': 'reads',
  '/hc help': 'reads',
  '/threat': 'reads',
  '/threat details': 'opens',
  '/threat whois': 'opens',
  '/threat dns': 'opens',
  '/threat comments': 'opens',
  '/threat copy': 'opens',
  '/threat export': 'acts',
  '/threat kit': 'acts',
  '/threat screenshot': 'acts',
  '/threat source': 'acts',
  '/threat find': 'reads',
  '/threat memory': 'by its words',
  '/threat case': 'opens',
  '/threat queue': 'reads',
  '/threat take': 'acts',
  '/threat release': 'acts',
  '/threat false-positive': 'acts',
  '/threat takedown-sent': 'acts',
  '/threat up': 'acts',
  '/threat unwatch': 'acts',
  '/threat watch': 'acts',
  '/threat down': 'acts',
  '/threat reopen': 'acts',
  '/threat reveal': 'acts',
  '/threat help': 'reads',
  '/cert-order': 'opens',
  '/cert-order renew': 'opens',
  '/cert-order reissue': 'opens',
  '/cert-order again': 'opens',
  '/cert-order list': 'reads',
  '/cert-order show': 'reads',
  '/cert-order answer': 'reads',
  '/cert-order file': 'acts',
  '/cert-order csr': 'reads',
  '/cert-order policy': 'opens',
  '/cert-order approve': 'opens',
  '/cert-order reject': 'opens',
  '/cert-order resolve': 'opens',
  '/cert-order withdraw': 'acts',
  '/cert-order help': 'reads',
}

function kindOf({ opens, acts }: Verb): string {
  if (typeof acts === 'function') return 'by its words'
  if (acts) return opens ? 'opens and acts' : 'acts'
  return opens ? 'opens' : 'reads'
}

describe('every verb', () => {
  it('is known for what it is', async () => {
    await using world = await startWorld()
    const found = world.app.routes.verbs.map((verb) => [`/${verb.command} ${verb.verb}`.trim(), kindOf(verb)])
    expect(Object.fromEntries(found)).toEqual(VERBS)
  })

  it('is told by the first words of a line as by all of it', async () => {
    await using world = await startWorld()
    const { routes } = world.app
    const [resolve, verbOf] = [createResolveLine(routes), createVerbOf(routes)]
    const typed = routes.verbs.map(({ command, verb }) => `/${command} ${verb}`.trim())
    const odd = [
      '/hc',
      '/hc --env ote',
      '/hc web-*',
      '/hc "list up"',
      '/hc LIST x',
      '/hc undelte x',
      '/nobody x',
    ]
    for (const line of [...typed, ...odd]) {
      const whole = resolve(commandOf(line))
      expect(verbOf(line), line).toBe('verb' in whole ? whole.verb : undefined)
      expect(verbOf(`${line} --env ote`)?.verb, line).toBe(verbOf(line)?.verb)
    }
  })

  it.each([
    { line: '/hc list', isAct: false },
    { line: '/hc list --share', isAct: true },
    { line: '/hc list "--share"', isAct: false },
    { line: '/threat 7e57ed00-0000-4000-8000-00000000000a', isAct: false },
    { line: '/hc env', isAct: false },
    { line: '/hc env ote', isAct: true },
    { line: '/hc audit', isAct: false },
    { line: '/hc audit --export', isAct: true },
    { line: '/hc frobnicate', isAct: false },
    { line: '/hc undelte x', isAct: false },
  ])('and $line changes something: $isAct', async ({ line, isAct }) => {
    await using world = await startWorld()
    const resolve = createResolveLine(world.app.routes)
    const [command = '', ...words] = line.slice(1).split(' ')
    expect(resolve({ command, text: words.join(' ') }).isAct).toBe(isAct)
  })
})
