import { describe, expect, it } from 'vitest'
import type { Verb } from '../../../src/bot/routes/routes.ts'
import { EVERYONE } from '../../../src/domain/roles.ts'
import { helpView } from '../../../src/features/help/views.ts'
import { startWorld, WORKSPACE } from '../../world.ts'

describe('help', () => {
  it.each(['help', 'HELP'])('answers "/hc %s" with what can be typed', async (typed) => {
    await using world = await startWorld()
    const { text, message } = await world.slack.member.command('/hc', typed)
    for (const words of [text, message?.text ?? ''])
      for (const shown of ['/hc show', 'Show one health check in full', '/hc connect', 'For example: /hc '])
        expect(words).toContain(shown)
    expect(text).toContain('/hc show NAME|UUID')
    expect(text).toContain('--status takes UNHEALTHY, INSTALLING, HEALTHY')
    expect(text).not.toContain('alert-edit')
  })

  it('leads on to the other commands, and carries the prefix of the deployment', async () => {
    await using world = await startWorld({ environment: { COMMAND_PREFIX: 'x-' } })
    const help = await world.slack.member.command('/hc', 'help')
    expect(help.text).toContain('/x-hc alerts NAME|UUID')
    const threat = await world.slack.member.click(help.message, 'Help for /x-threat')
    expect(threat.text).toContain('What you can type behind /x-threat')
    const run = await world.slack.member.click(help.message, 'Run /x-hc')
    expect(run.text).toContain('There are no health checks yet')
  })

  it('lists only what whoever asks may do, and says that there is more', async () => {
    await using world = await startWorld({ access: 'closed' })
    const helpOf = async (who: string) => (await world.slack.user(who).command('/hc', 'help')).text
    const member = await helpOf('member')
    expect(member).toContain('/hc list')
    for (const verb of ['/hc create', '/hc edit', '/hc connect', '/hc access-grant'])
      expect(member).not.toContain(verb)
    expect(member).toMatch(/\d+ more need a role that you do not have\. \/hc whoami says who can give it\./)
    const admin = await helpOf('admin')
    for (const verb of ['/hc create', '/hc edit', '/hc connect']) expect(admin).toContain(verb)
    expect(admin).not.toContain('that you do not have')
  })

  it('leaves out for guests what is refused to them, which no role would change', async () => {
    await using world = await startWorld({ access: 'closed' })
    await world.app.store.grants.add(WORKSPACE, 'operator', EVERYONE, 'U0ADMIN001', new Date())
    const helpOf = async (who: string, command: string) =>
      (await world.slack.user(who).command(command, 'help')).text
    const forGuests = `${await helpOf('U0GUEST001', '/hc')} ${await helpOf('U0GUEST001', '/threat')}`
    const refused = ['/hc create', '/threat whois', '/threat kit', '/threat screenshot', '/threat source']
    for (const verb of refused) expect(forGuests).not.toContain(verb)
    expect(forGuests).toContain('/threat details ID')
    expect(forGuests).toMatch(/\d+ more are not for guests\./)
    expect(forGuests).not.toContain('need a role')
    for (const verb of refused.slice(1)) expect(await helpOf('member', '/threat')).toContain(verb)
  })

  it('never suggests what only buttons ask for', async () => {
    await using world = await startWorld()
    const { text } = await world.slack.member.command('/hc', 'alert-ad')
    expect(text).not.toContain('Did you mean')
  })
})

describe('the help of a command', () => {
  const verb = (name: string, more: Partial<Verb> = {}): Verb => ({
    command: 'hc',
    verb: name,
    usage: name,
    does: `Does ${name}`,
    needs: 'viewer',
    run: () => Promise.reject(new Error('Not run here.')),
    ...more,
  })
  const help = (...verbs: Verb[]) =>
    helpView('hc', verbs, { prefix: '', others: [], standing: 'member', may: () => true }).text

  it('comes from the rows of the route table, grouped by what happens', () => {
    expect(help(verb('edit', { opens: true }), verb('list'), verb('secret', { hidden: true }))).toContain(
      'Answers at once:\n/hc list – Does list\nOpens a window first:\n/hc edit – Does edit\n',
    )
  })

  it('gives the example of the table, or what can be typed as it stands', () => {
    expect(help(verb('show', { usage: 'show NAME', example: 'show web' }), verb('list'))).toContain(
      'For example: /hc show web',
    )
    expect(help(verb('show', { usage: 'show NAME' }), verb('list'))).toContain('For example: /hc list')
    expect(help(verb('show', { usage: 'show NAME' }))).not.toContain('For example')
  })

  it('names the values of flags that come from a list', () => {
    const flags = { status: ['UP', 'DOWN'], target: 'value', offset: 'value', kind: ['A'] } as const
    const list = verb('list', { usage: 'list [--status S] [--target T]', flags })
    const { blocks } = helpView('hc', [list], { prefix: '', others: [], standing: 'member', may: () => true })
    const shown = JSON.stringify(blocks)
    expect(shown).toContain('--status takes UP, DOWN')
    expect(shown).not.toMatch(/--target takes|--kind|--offset/)
  })
})
