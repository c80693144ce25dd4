import { z } from 'zod'

const number = z.union([z.number(), z.string().transform(Number)])
const date = z.union([z.string().transform((text) => new Date(text)), z.null()]).optional()
const boolean = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')])

const HealthCheck = z
  .object({
    uuid: z.string(),
    name: z.string(),
    status: z.union([z.enum(['HEALTHY', 'UNHEALTHY', 'INSTALLING']), z.string()]),
    customer_id: number,
    protocol: z.union([z.enum(['TCP', 'HTTP', 'HTTPS']), z.string()]),
    target: z.string(),
    port: number,
    frequency: number,
    created_at: date,
    created_by: z.string().optional(),
    modified_at: date,
    modified_by: z.string().optional(),
    http_server_address: z.string().optional(),
    verify_ssl: boolean.optional(),
  })
  .transform(({ customer_id, created_at, created_by, modified_at, modified_by, ...row }) => ({
    ...row,
    customerId: customer_id,
    createdAt: created_at ?? undefined,
    createdBy: created_by,
    modifiedAt: modified_at ?? undefined,
    modifiedBy: modified_by,
    httpServerAddress: row.http_server_address,
    verifySsl: row.verify_ssl,
  }))

/** A straightforward schema of a page, with a union for each field that has two formats. */
export const NaivePage = z
  .object({
    message: z.string(),
    data: z.object({ total: number, limit: number, offset: number, results: z.array(HealthCheck) }),
  })
  .transform(({ data }) => data)
