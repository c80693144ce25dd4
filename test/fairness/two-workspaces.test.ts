import { expect, it } from 'vitest'
import { EVERYONE } from '../../src/domain/roles.ts'
import { createRequests } from '../bot/access/requests.ts'
import { startStubbedApp } from '../bot/access/slack-stub.ts'
import { addGrant } from '../give-role.ts'
import { LONG_DEADLINES } from '../relaxed-limits.ts'

const SLOW = 'T0SLOW0001'
const QUICK = 'T0QUICK001'
/** More than there are connections to the service for people’s requests (docs/operate.md). */
const SLOW_COMMANDS = 160
const QUICK_COMMANDS = 20
/** Long enough that nothing times out during the test. */
const FOREVER_MS = 200_000
/** Shows placeholders immediately, so that everyone who has to wait sees one. */
const PLACEHOLDER_MS = 1

const createPeople = (teamId: string, count: number) =>
  Array.from({ length: count }, (_, nth) => ({
    userId: `U${teamId}N${nth}`,
    teamId,
    slack: { team_id: teamId, profile: {} },
  }))
const PEOPLE = {
  [SLOW]: createPeople(SLOW, SLOW_COMMANDS),
  [QUICK]: createPeople(QUICK, QUICK_COMMANDS),
}
type Workspace = keyof typeof PEOPLE

/** Starts the app with two workspaces. They share a token for the service, so they could block each other there, too. */
async function startTwoWorkspaces() {
  const timeouts = { connectMs: FOREVER_MS, headersMs: FOREVER_MS, bodyMs: FOREVER_MS, totalMs: FOREVER_MS }
  const stubbed = await startStubbedApp(Object.values(PEOPLE).flat(), {
    requestDeadlines: { ...LONG_DEADLINES, placeholderMs: PLACEHOLDER_MS },
    serviceLimits: { timeouts },
  })
  const { app, slack, send } = stubbed
  await addGrant(app.store, QUICK, 'operator', EVERYONE, 'U1', new Date())
  return {
    ...stubbed,
    /** The answers to a workspace's commands so far, each with its number. */
    listAnswers: (workspace: Workspace): { command: number; text: string }[] =>
      slack.calls.flatMap(({ method, body }) => {
        // On a very slow machine, an answer may be too late for its response_url and is sent to the person.
        const userId = method === 'chat.postEphemeral' ? body.user : method.replace('response_url/', '')
        const command = PEOPLE[workspace].findIndex((person) => person.userId === userId)
        const text = JSON.stringify(body)
        return command === -1 || text.includes('Still working') ? [] : [{ command, text }]
      }),
    async command(workspaceId: Workspace, nth: number, text: string): Promise<void> {
      const person = PEOPLE[workspaceId][nth]
      if (!person) throw new Error('There is nobody to type this command.')
      const responseUrl = `${slack.responseUrl}/${person.userId}`
      const target = { workspaceId, channelId: 'C1', responseUrl }
      expect(await send(createRequests(person, target).command(`/hc ${text}`))).toBe('')
    },
  }
}

it(`responds to ${QUICK_COMMANDS} commands in one workspace while ${SLOW_COMMANDS} commands in another hang`, async () => {
  await using two = await startTwoWorkspaces()
  const { slack, service, listAnswers } = two
  const isSlow = (method: string) => method.startsWith(`response_url/U${SLOW}`)
  slack.stall(isSlow)
  const quick = await service.addCheck({ name: 'quick' })
  const uuids: string[] = []
  for (let nth = 0; nth < SLOW_COMMANDS; nth += 1) uuids.push(await service.addCheck({ name: `slow-${nth}` }))
  await service.faults(
    ...uuids.map((uuid) => ({ path: `/healthcheck/v1/healthchecks/${uuid}`, kind: 'hold' as const })),
  )
  await Promise.all(uuids.map((uuid, nth) => two.command(SLOW, nth, `show ${uuid}`)))
  // The slow workspace has used up its share, so its other commands wait.
  await expect
    .poll(() => slack.calls.filter(({ method }) => isSlow(method)).length)
    .toBeGreaterThanOrEqual(32)
  const chooseLine = (nth: number) => {
    if (nth % 10 === 9) return 'mute quick 30m'
    return nth % 2 === 0 ? `list qui* --target ${nth}` : `show ${quick}`
  }
  for (let nth = 0; nth < QUICK_COMMANDS; nth += 1) {
    await two.command(QUICK, nth, chooseLine(nth))
    await expect.poll(() => listAnswers(QUICK).map(({ command }) => command)).toContain(nth)
  }
  expect(listAnswers(SLOW)).toEqual([])
  const words = listAnswers(QUICK).map(({ text }) => text)
  expect(words.filter((text) => text.includes('went wrong'))).toEqual([])
  expect(words.filter((text) => /muted/i.test(text)).length).toBeGreaterThanOrEqual(QUICK_COMMANDS / 10)
  await service.faults()
  slack.stall(() => false)
  // The slow workspace also gets all its answers.
  const countAnswered = () => new Set(listAnswers(SLOW).map(({ command }) => command)).size
  await expect.poll(countAnswered).toBe(SLOW_COMMANDS)
})
