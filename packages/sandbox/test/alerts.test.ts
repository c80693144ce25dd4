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
  it('can be created, listed (with string IDs), replaced, and deleted', async () => {
    const created = await call('POST', alerts, EMAIL)
    expect(created.status).toBe(200)
    // The response to a creation: { message, data: HealthcheckAlert }.
    const { data } = created.json<{ data: { id: number } }>()
    expect(data).toEqual({
      ...EMAIL,
      id: expect.any(Number),
      created_at: expect.stringMatching(/Z$/),
      created_by: 'sandbox-user',
      modified_at: expect.stringMatching(/Z$/),
      modified_by: 'sandbox-user',
    })
    expect((await call('GET', alerts)).json()).toEqual({
      message: 'OK',
      data: [{ ...data, id: String(data.id) }],
    })

    const changed = await call('PUT', `${alerts}/${data.id}`, { ...EMAIL, recipients: ['b@example.com'] })
    expect(changed.json()).toMatchObject({
      message: 'OK',
      data: { id: data.id, recipients: ['b@example.com'] },
    })

    const deleted = await call('DELETE', `${alerts}/${data.id}`)
    expect([deleted.status, deleted.text]).toEqual([200, '{"message":"OK"}'])
    expect((await call('GET', alerts)).json()).toEqual({ message: 'OK', data: [] })
  })

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
