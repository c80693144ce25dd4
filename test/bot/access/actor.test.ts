import { describe, expect, it } from 'vitest'
import type { Person } from '../../../packages/slack/src/client/directory.ts'
import type { RequestUser } from '../../../packages/slack/src/receive/request-origin.ts'
import { identify, type People } from '../../../src/bot/access/actor.ts'

const requestUser: RequestUser = {
  workspaceId: 'T0HOME',
  userId: 'U0ANN',
}

const ann: Person = {
  name: 'Ann',
  teamId: 'T0HOME',
  teamIds: ['T0HOME'],
  enterpriseId: undefined,
  isAdmin: false,
  isGuest: false,
  isDeactivated: false,
  isBot: false,
}

const createPeople = (person: Person | undefined): People => ({
  readPerson: async () => {
    if (!person) throw new Error('Slack can’t be reached.')
    return person
  },
  isInGroup: async () => false,
  listGuests: async () => new Set<string>(),
  forget: () => undefined,
})

const IN_ORGANIZATION = { enterpriseId: 'E0GROUP' }

describe('a person’s relationship to the workspace', () => {
  const rows: {
    person: string
    request?: Partial<RequestUser>
    slackPerson?: Partial<Person>
    membership: string
    isAdminElsewhere?: true
  }[] = [
    { person: 'a member of the workspace', membership: 'member' },
    { person: 'a member named by the payload', request: { homeId: 'T0HOME' }, membership: 'member' },
    { person: 'an admin', slackPerson: { isAdmin: true }, membership: 'member' },
    { person: 'a guest', slackPerson: { isGuest: true }, membership: 'guest' },
    {
      person: 'a guest with an admin’s flag',
      slackPerson: { isGuest: true, isAdmin: true },
      membership: 'guest',
    },
    {
      person: 'a deactivated account',
      slackPerson: { isDeactivated: true, isAdmin: true },
      membership: 'deactivated',
    },
    { person: 'an app', slackPerson: { isBot: true, isAdmin: true }, membership: 'bot' },
    {
      person: 'a person without a workspace or an organization',
      slackPerson: { teamId: undefined, isAdmin: true },
      membership: 'unknown',
    },
    {
      person: 'a person of another organization, if the request has no workspace',
      request: { workspaceId: 'E0GROUP', ...IN_ORGANIZATION },
      slackPerson: { teamId: 'T0OTHER', isAdmin: true },
      membership: 'foreign',
    },
    { person: 'a foreign team in the payload', request: { homeId: 'T0OTHER' }, membership: 'foreign' },
    { person: 'a person with a foreign team', slackPerson: { teamId: 'T0OTHER' }, membership: 'foreign' },
    {
      person: 'a person of another workspace in the organization',
      request: { ...IN_ORGANIZATION },
      slackPerson: { teamId: 'T0SISTER', ...IN_ORGANIZATION },
      membership: 'member',
    },
    {
      person: 'a person of another workspace in the organization, named by the payload',
      request: { ...IN_ORGANIZATION, homeId: 'T0SISTER' },
      slackPerson: { teamId: 'T0SISTER', ...IN_ORGANIZATION },
      membership: 'member',
    },
    {
      person: 'a person of another organization',
      request: { ...IN_ORGANIZATION },
      slackPerson: { teamId: 'T0OTHER', enterpriseId: 'E0OTHER' },
      membership: 'foreign',
    },
    {
      person: 'an admin of another workspace of the same organization',
      request: { ...IN_ORGANIZATION },
      slackPerson: { teamId: 'T0SISTER', ...IN_ORGANIZATION, isAdmin: true },
      membership: 'member',
      isAdminElsewhere: true,
    },
    {
      person: 'a person whose team is the organization',
      request: { ...IN_ORGANIZATION, homeId: 'E0GROUP' },
      slackPerson: { teamId: 'E0GROUP', ...IN_ORGANIZATION },
      membership: 'member',
    },
  ]
  it.each(rows)(
    'is $membership for $person',
    async ({ request, slackPerson, membership, isAdminElsewhere = false }) => {
      const person = { ...ann, ...slackPerson }
      const teamIds = person.teamId === undefined ? [] : [person.teamId]
      const actor = await identify({ ...requestUser, ...request }, createPeople({ ...person, teamIds }))
      expect(actor.membership).toBe(membership)
      expect(actor.isSlackAdmin).toBe(
        membership === 'member' && slackPerson?.isAdmin === true && !isAdminElsewhere,
      )
    },
  )

  it('is returned with their name and time zone from Slack', async () => {
    const actor = await identify(requestUser, createPeople({ ...ann, timeZone: 'Europe/Paris' }))
    expect(actor).toMatchObject({ name: 'Ann', timeZone: 'Europe/Paris' })
  })

  it('is foreign, not unknown, if the payload has another team’s ID and Slack doesn’t respond', async () => {
    const fromOtherTeam = { ...requestUser, ...IN_ORGANIZATION, homeId: 'T0OTHER' }
    expect((await identify(fromOtherTeam, createPeople(undefined))).membership).toBe('foreign')
  })

  it('is unknown while Slack doesn’t respond', async () => {
    expect(await identify(requestUser, createPeople(undefined))).toEqual({
      userId: 'U0ANN',
      membership: 'unknown',
      isFromThisWorkspace: true,
      isSlackAdmin: false,
    })
  })
})

describe('a person that Slack can’t find', () => {
  it.each([
    { error: 'An API error occurred: user_not_found', membership: 'foreign' },
    { error: 'An API error occurred: user_not_visible', membership: 'foreign' },
    { error: 'An API error occurred: internal_error', membership: 'unknown' },
  ])('is $membership if Slack returns $error', async ({ error, membership }) => {
    const people: People = { ...createPeople(undefined), readPerson: () => Promise.reject(new Error(error)) }
    expect((await identify(requestUser, people)).membership).toBe(membership)
  })
})
