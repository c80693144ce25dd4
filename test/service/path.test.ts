import { describe, expect, it } from 'vitest'
import { ApiError } from '../../src/service/errors.ts'
import { path } from '../../src/service/http.ts'

describe('path', () => {
  it.each([
    { id: 'b1c7', sent: '/a/b1c7/z' },
    { id: 12, sent: '/a/12/z' },
    { id: 'a/b', sent: '/a/a%2Fb/z' },
    { id: '../x', sent: '/a/..%2Fx/z' },
    { id: '%2e%2e', sent: '/a/%252e%252e/z' },
    { id: 'a?b#c', sent: '/a/a%3Fb%23c/z' },
    { id: '...', sent: '/a/.../z' },
    { id: 'a\r\nHost: x', sent: '/a/a%0D%0AHost%3A%20x/z' },
    { id: '😀', sent: '/a/%F0%9F%98%80/z' },
  ])('encodes $id as one segment', ({ id, sent }) => {
    expect(path`/a/${{ id }}/z`).toEqual({ path: sent, route: '/a/{id}/z' })
    expect(new URL(sent, 'http://example.com').pathname).toBe(sent)
  })

  it.each(['', '.', '..', '\ud800', 'x'.repeat(501)])('rejects %j, which isn’t a single resource', (id) => {
    expect(() => path`/a/${{ id }}`).toThrow(ApiError)
    expect(() => path`/a/${{ id }}`).toThrow(expect.objectContaining({ kind: 'not-found' }))
  })
})
