import { beforeAll, describe, expect, it } from 'vitest'
import { CHECKS, createCheck, errorMessages, useSandbox } from './client.ts'

const { call } = useSandbox()
let alerts: string
let otherAlerts: string

beforeAll(async () => {
  alerts = `${CHECKS}/${await createCheck(call)}/alerts`
  otherAlerts = `${CHECKS}/${await createCheck(call, { name: 'Other' })}/alerts`
})

const EMAIL = { type: 'EMAIL', recipients: ['a@example.com', "o'neil+x@mail.example.org"] }

describe('alerts of a health check', () => {
  it.each([
    [{}, ['type is missing.', 'recipients is missing.']],
    [{ ...EMAIL, type: 'SMS' }, ['type must be one of EMAIL.']],
    [{ ...EMAIL, recipients: [] }, ['recipients must be a list of at least one email address.']],
    [
      { ...EMAIL, recipients: ['a@example.com', 'nobody', 5, 'a@b', 'x@example.com>\n'] },
      [1, 2, 3, 4].map((index) => `recipients[${index}] is not an email address.`),
    ],
    [{ ...EMAIL, name: 'x' }, ['name is not a known field; leave it out.']],
  ])('are rejected if a field is invalid: %j', async (body, expected) => {
    const answer = await call('POST', alerts, body)
    expect(answer.status).toBe(400)
    expect(errorMessages(answer)).toEqual(expected)
  })

  it('return 404 for another check’s alert or an unknown ID', async () => {
    // The response to a creation: { message, data: HealthcheckAlert }.
    const { data } = (await call('POST', otherAlerts, EMAIL)).json<{ data: { id: number } }>()
    for (const id of [data.id, 999, 'x', '1e3', '-1'])
      expect((await call('PUT', `${alerts}/${id}`, EMAIL)).status).toBe(404)
    expect((await call('DELETE', `${alerts}/${data.id}`)).status).toBe(404)
    expect((await call('PUT', `${otherAlerts}/${data.id}`, {})).status).toBe(400)
  })

  it.each([['GET'], ['POST']])('return 404 for %s if the check is unknown', async (method) => {
    const answer = await call(method, `${CHECKS}/nothing/alerts`, method === 'POST' ? EMAIL : undefined)
    expect(answer.status).toBe(404)
  })
})
