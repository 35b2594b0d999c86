/** To whom the cost of work is charged. Companies have equal shares; within a company, its addresses do. */
export interface Caller {
  /** Id of a company, or one of the groups below: `anonymous`, `background`. */
  company: string
  /** Client address, or another key that distinguishes callers of a company. */
  address: string
}

/** A caller without a token; all of them share the quota of one company. */
export const anonymousCaller = (address: string): Caller => ({ company: 'anonymous', address })

/** Background work of a company. It competes with the requests of the same company. */
export const backgroundCaller = (companyId: string | null): Caller => ({
  company: companyId ?? 'background',
  address: 'background',
})
