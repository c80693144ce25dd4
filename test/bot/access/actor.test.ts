import { describe, expect, it } from 'vitest'
import type { Person } from '../../../packages/slack/src/client/directory.ts'
import type { RequestUser } from '../../../packages/slack/src/receive/request-origin.ts'
import { identify, type People } from '../../../src/bot/access/actor.ts'
import { createMember } from './member.ts'

const requestUser: RequestUser = {
  workspaceId: 'T0HOME',
  userId: 'U0ANN',
}

const ann = createMember('T0HOME')

const createPeople = (person: Person | undefined): Pick<People, 'readPerson'> => ({
  readPerson: async () => {
    if (!person) throw new Error('Slack can’t be reached.')
    return person
  },
})

const IN_ORGANIZATION = { enterpriseId: 'E0GROUP' }

describe('a person’s relationship to the workspace', () => {
  const ADMIN = { isAdmin: true }
  const OF_SISTER = { teamId: 'T0SISTER', ...IN_ORGANIZATION }

  it.each<
    [membership: string, person: string, slackPerson?: Partial<Person>, request?: Partial<RequestUser>]
  >([
    ['member', 'a member of the workspace'],
    ['member', 'a member named by the payload', {}, { homeId: 'T0HOME' }],
    ['member', 'an admin', ADMIN],
    ['guest', 'a guest', { isGuest: true }],
    ['guest', 'a guest with an admin’s flag', { isGuest: true, ...ADMIN }],
    ['deactivated', 'a deactivated account', { isDeactivated: true, ...ADMIN }],
    ['bot', 'an app', { isBot: true, ...ADMIN }],
    ['unknown', 'a person without a workspace or an organization', { teamId: undefined, ...ADMIN }],
    [
      'foreign',
      'a person of another organization, if the request has no workspace',
      { teamId: 'T0OTHER', ...ADMIN },
      { workspaceId: 'E0GROUP', ...IN_ORGANIZATION },
    ],
    ['foreign', 'a foreign team in the payload', {}, { homeId: 'T0OTHER' }],
    ['foreign', 'a person with a foreign team', { teamId: 'T0OTHER' }],
    ['member', 'a person of another workspace in the organization', OF_SISTER, IN_ORGANIZATION],
    ['member', 'the same, named by the payload', OF_SISTER, { ...IN_ORGANIZATION, homeId: 'T0SISTER' }],
    [
      'foreign',
      'one of another organization',
      { teamId: 'T0OTHER', enterpriseId: 'E0OTHER' },
      IN_ORGANIZATION,
    ],
    ['member', 'an admin of another workspace in it', { ...OF_SISTER, ...ADMIN }, IN_ORGANIZATION],
    [
      'member',
      'a person whose team is the organization',
      { teamId: 'E0GROUP', ...IN_ORGANIZATION },
      { ...IN_ORGANIZATION, homeId: 'E0GROUP' },
    ],
  ])('is %s for %s', async (membership, _, slackPerson = {}, request = {}) => {
    const person = { ...ann, ...slackPerson }
    const teamIds = person.teamId === undefined ? [] : [person.teamId]
    const actor = await identify({ ...requestUser, ...request }, createPeople({ ...person, teamIds }))
    expect(actor.membership).toBe(membership)
    // Admins of another workspace aren't admins here.
    const isAdminHere = slackPerson.isAdmin === true && person.teamId !== 'T0SISTER'
    expect(actor.isSlackAdmin).toBe(membership === 'member' && isAdminHere)
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

it.each([
  { error: 'An API error occurred: user_not_found', membership: 'foreign' },
  { error: 'An API error occurred: user_not_visible', membership: 'foreign' },
  { error: 'An API error occurred: internal_error', membership: 'unknown' },
])('a person that Slack can’t find is $membership if Slack returns $error', async ({ error, membership }) => {
  const people = { readPerson: () => Promise.reject(new Error(error)) }
  expect((await identify(requestUser, people)).membership).toBe(membership)
})
