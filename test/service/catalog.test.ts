import { describe, expect, it } from 'vitest'
import { startVendor } from './vendor.ts'

async function readProducts(body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  await using vendor = await startVendor((response) => void response.end(text))
  return await vendor.api().orders.listItems('products')
}

describe('products and organizations', () => {
  it.each([
    {
      content: 'names, and a number as an ID',
      body: { data: [{ id: '8', attributes: { name: 'One name' } }, { id: 7 }] },
      expected: [
        { id: '8', name: 'One name' },
        { id: '7', name: '7' },
      ],
    },
    {
      content: 'something without an ID',
      body: { data: [{ attributes: { name: 'a' } }, 1, null] },
      expected: [],
    },
    { content: 'an empty list', body: { data: [] }, expected: [] },
  ])('are read, in the service’s order, from a response with $content', async ({ body, expected }) => {
    expect(await readProducts(body)).toEqual(expected)
  })

  it.each(['<html>', {}, { data: { id: '1' } }, ''])('are unreadable if the response is %j', async (body) => {
    await expect(readProducts(body)).rejects.toMatchObject({ kind: 'unreadable' })
  })
})
