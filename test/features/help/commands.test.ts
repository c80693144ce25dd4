import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EVERYONE } from '../../../src/domain/roles.ts'
import { TASKS } from '../../../src/features/help/rules/tasks.ts'
import { readTypedLine } from '../../bot/grammar/real-verbs.ts'
import { addGrant } from '../../give-role.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'

const EVENT_ID = '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

describe('the help', () => {
  it('answers “/hc HELP” with commands grouped by task', async () => {
    const { text, message } = await world.slack.member.command('/hc', 'HELP')
    for (const words of [text, message?.text ?? ''])
      for (const shown of [
        'What you can do with /hc',
        '/hc down',
        '/hc history checkout 7d',
        '/hc watch shop',
        '--escalate "10m ',
        '/hc mute "Shop checkout" 2h',
        '/hc maintenance',
        '/hc edit shop* --frequency 30',
        '/hc alerts checkout',
        'lee operator 8h',
        '/hc audit yesterday',
        'The verb comes first',
      ])
        expect(words).toContain(shown)
    const lines = message?.text.split('\n') ?? []
    // One screen.
    expect(lines.length).toBeLessThanOrEqual(24)
    // On a phone, a command that doesn't begin its line would break behind its slash command.
    expect(lines.filter((line) => line.indexOf('/hc ') > 0)).toEqual([])
    expect(text).not.toContain('alert-edit')
  })

  it('has one screen of lines for each command, each of which can be typed', async () => {
    const commands = Object.entries(TASKS)
    for (const [command, tasks] of commands) {
      expect(tasks.length, command).toBeLessThanOrEqual(22)
      for (const [line, text] of tasks) {
        // Fits on one line of a phone that is 390 px wide.
        expect(line.length, line).toBeLessThanOrEqual(36)
        expect(text.length, text).toBeLessThanOrEqual(30)
        const { reading, message } = await readTypedLine(line.replace('ID', EVENT_ID))
        expect(reading, `${line}: ${message}`).toBeDefined()
      }
    }
  })

  it('details only what people type', async () => {
    for (const command of ['/threat', '/hc', '/cert-order']) {
      const { message } = await world.slack.admin.command(command, 'help')
      const options = JSON.stringify(message?.blocks)
      for (const button of [
        'details',
        'whois',
        'screenshot',
        'case',
        'file',
        'resolve',
        'jobs',
        'apply',
        'watch-ack',
      ])
        expect(options).not.toMatch(new RegExp(`"${command} help ${button}\\b`))
    }
  })

  it('says what isn’t a command, beside all that are', async () => {
    const { member } = world.slack
    const answer = await member.command('/hc', 'help *frobnicate* please')
    expect(answer.text).toContain('It has no command “*frobnicate*”.')
    for (const [command, words] of [
      ['/hc', 'help'],
      ['/hc', 'help me please'],
      ['/threat', 'help'],
    ] as const)
      expect((await member.command(command, words)).text).not.toContain('It has no command')
  })

  it('shows the version', async () => {
    const { text } = await world.slack.member.command('/hc', 'version')
    expect(text).toMatch(/This is Signalman \d+\.\d+\.\d+/)
  })

  it('links to the other commands and each subcommand, with the deployment’s prefix', async () => {
    await using world = await startWorld({ environment: { COMMAND_PREFIX: 'x-' } })
    const { member } = world.slack
    const help = await member.command('/hc', 'help')
    expect(help.text).toContain('/x-hc alerts checkout')
    const list = await member.choose(help.message, 'Command details…', '/x-hc list')
    expect(list.message?.text).toContain('/x-hc list: List health checks')
    const threat = await member.click(help.message, 'Help for /x-threat')
    expect(threat.text).toContain('What you can do with /x-threat')
  })

  it('lists each flag of a command on its own line, with its meaning and values', async () => {
    const { message, text } = await world.slack.member.command('/hc', 'help list')
    // Once: not in the usage, too.
    expect(message?.text).toContain('/hc list [NAME|NAME*] [down|up] [HTTP|HTTPS|TCP] [unwatched]\n--')
    const lines = message?.text ?? ''
    expect(lines).toContain('--status S  Status; one of UNHEALTHY, INSTALLING, HEALTHY')
    expect(lines).toContain('--limit N  Health checks per page')
    expect(text).not.toMatch(/--offset|--before/)
    const watch =
      (await world.slack.member.command('/hc', 'help watch')).message?.text.replaceAll('\u2060', '') ?? ''
    for (const shown of [
      '--escalate "10m @on-call, 30m @lead"  Page while nobody is on it',
      '--runbook URL  Runbook',
    ])
      expect(watch).toContain(shown)
    expect(watch).not.toMatch(/\.;|off \(off\)/)
  })

  it('finds a command with a typo', async () => {
    const misspelled = await world.slack.member.command('/hc', 'help lsit')
    expect(misspelled.message?.text).toContain('/hc list: List health')
    expect((await world.slack.member.command('/hc', 'help constructor')).text).toContain('What you can do')
    // Only buttons use commands that begin with this.
    expect((await world.slack.member.command('/hc', 'alert-ad')).text).not.toContain('Did you mean')
  })

  it('answers words that are no command with all of them', async () => {
    for (const words of ['the token', 'my manager wants a certificate report'])
      expect((await world.slack.admin.command('/hc', `help ${words}`)).text).toContain('What you can do')
  })

  it('lists only the commands that you can use, says that there are more, and which role the others need', async () => {
    await using world = await startWorld({ access: 'closed' })
    const { text } = await world.slack.member.command('/hc', 'help create')
    expect(text).toContain('You need the operator role for this.')
    const readHelp = async (who: string) => (await world.slack.user(who).command('/hc', 'help')).text
    const member = await readHelp('member')
    expect(member).toContain('/hc list')
    for (const verb of ['/hc create', '/hc edit', '/hc connect', '/hc access-grant'])
      expect(member).not.toContain(verb)
    expect(member).toMatch(
      /Not shown: \d+ commands for roles that you don’t have\. To see who can give you one/,
    )
    const admin = await readHelp('admin')
    for (const verb of ['/hc create', '/hc edit', '/hc connect']) expect(admin).toContain(verb)
    expect(admin).not.toContain('that you don’t have')
  })

  it('doesn’t show guests the commands that guests can never use', async () => {
    await using world = await startWorld({ access: 'closed', guests: 'can-view' })
    await addGrant(world.app.store, WORKSPACE, 'operator', EVERYONE, 'U0ADMIN001', new Date())
    const readHelp = async (who: string, command: string) =>
      (await world.slack.user(who).command(command, 'help')).text
    const forGuests = `${await readHelp('U0GUEST001', '/hc')} ${await readHelp('U0GUEST001', '/threat')}`
    const hiddenVerbs = ['/hc create', '/hc mute', '/threat take']
    for (const verb of hiddenVerbs) expect(forGuests).not.toContain(verb)
    expect(forGuests).toContain('/threat ID')
    expect(forGuests).toMatch(/Not shown: \d+ commands for members\./)
    expect(forGuests).not.toContain('for roles')
    expect(await readHelp('member', '/threat')).toContain('/threat take ID')
  })
})
