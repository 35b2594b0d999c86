/** Who pays for work. Companies have equal shares; within one, the addresses that call for it. */
export interface Caller {
  /** Id of a company, or one of the groups below. */
  company: string
  /** Client address, or what else tells callers of a company apart. */
  address: string
}

/** Everybody who calls without a token is one company. */
export const anonymousCaller = (address: string): Caller => ({ company: 'anonymous', address })

/** What is done in the background shares what its company has with those who wait for an answer. */
export const backgroundCaller = (companyId: string | null): Caller => ({
  company: companyId ?? 'background',
  address: 'background',
})
