import { describe, expect, it } from 'vitest'
import { ApiError } from '../../src/service/errors.ts'
import { path } from '../../src/service/http.ts'

describe('path', () => {
  it.each([
    { id: 12, encoded: '/a/12/z' },
    { id: 'a/b', encoded: '/a/a%2Fb/z' },
    { id: '../x', encoded: '/a/..%2Fx/z' },
    { id: 'a?b#c', encoded: '/a/a%3Fb%23c/z' },
    { id: '...', encoded: '/a/.../z' },
    { id: '😀', encoded: '/a/%F0%9F%98%80/z' },
  ])('encodes $id as one segment', ({ id, encoded }) => {
    expect(path('/a/{id}/z', { id })).toEqual({ path: encoded, route: '/a/{id}/z' })
    expect(new URL(encoded, 'http://example.com').pathname).toBe(encoded)
  })

  it.each(['', '.', '..', '\u0000', 'a\nb', '\ud800', 'x'.repeat(501), undefined])(
    'rejects the ID %j',
    (id) => {
      const ids = id === undefined ? {} : { id }
      expect(() => path('/a/{id}', ids)).toThrow(ApiError)
      expect(() => path('/a/{id}', ids)).toThrow(expect.objectContaining({ kind: 'not-found' }))
    },
  )
})
