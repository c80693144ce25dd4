import { describe, expect, it } from 'vitest'
import { ApiError } from '../../src/service/errors.ts'
import { createRedactor } from '../../src/service/redact.ts'
import { createClient, reply, startVendor } from './vendor.ts'

const TOKEN = 'token+/8f0c2a71d4&x=9b3e"q-and-more'

describe('hiding the service’s token', () => {
  const json = JSON.stringify(TOKEN).slice(1, -1)
  const unicode = TOKEN.replaceAll(/[^a-z]/g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`)
  const upper = unicode.replaceAll(/(?<=\\u00)../g, (hex) => hex.toUpperCase())
  const forms = [TOKEN, encodeURIComponent(TOKEN), json, json.replaceAll('/', '\\/'), unicode, upper]

  it.each(forms.map((form) => ({ form })))('removes the token in the form $form', ({ form }) => {
    const hidden = createRedactor(TOKEN)(`before ${form} after`)
    expect(hidden).toBe('before [token] after')
  })

  it('hides only the token that the redactor was created for', () => {
    const [own, other] = [TOKEN, TOKEN.toUpperCase()].map(createRedactor)
    expect(own?.(`${TOKEN} ${TOKEN.toUpperCase()}`)).toBe(`[token] ${TOKEN.toUpperCase()}`)
    expect(other?.(`${TOKEN} ${TOKEN.toUpperCase()}`)).toBe(`${TOKEN} [token]`)
  })

  it('doesn’t hide a token that is too short', () => {
    expect(createRedactor('short')('a short text')).toBe('a short text')
  })

  it('removes a token from names and IDs that the service returns', async () => {
    const check = { name: TOKEN, target: encodeURIComponent(TOKEN), uuid: TOKEN, protocol: 'TCP' }
    const body = { message: 'OK', data: { total: 1, offset: 0, limit: 15, results: [check] } }
    await using vendor = await startVendor((response) => reply(response, body))
    await using service = createClient(vendor.url)
    const credentials = { environment: 'production', token: TOKEN } as const
    const listed = await service.with(credentials).healthChecks.list()
    expect(JSON.stringify(listed)).toContain('[token]')
    expect(forms.filter((form) => JSON.stringify(listed).includes(form))).toEqual([])
  })

  it('removes a token from an error before the error is shortened', async () => {
    const errors = [{ message: `${'x'.repeat(294)}${TOKEN}` }]
    await using vendor = await startVendor((response) => reply(response, { errors }, 400))
    await using service = createClient(vendor.url)
    const { healthChecks } = service.with({ environment: 'production', token: TOKEN })
    const failure = await healthChecks.list().catch((error: unknown) => error)
    expect(failure).toMatchObject({ serviceMessages: [expect.stringMatching(/^x{294}\[toke…$/)] })
  })

  it('never quotes responses about tokens, even those about another user’s token', async () => {
    const errors = [{ code: 'SECRET', message: 'SECRET-of-somebody-else is not yours.' }]
    await using vendor = await startVendor((response) => reply(response, { errors }, 403))
    await using service = createClient(vendor.url)
    const { tokens } = service.with({ environment: 'production', token: TOKEN })
    const failure = await tokens.list().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).toMatchObject({ kind: 'forbidden', serviceMessages: [] })
    expect(String(failure)).not.toContain('SECRET')
  })
})
