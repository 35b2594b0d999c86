/** A choice of companies, for users who see all of them. */
import type { Company } from '../../../client/index.ts'
import { t } from '../language.ts'
import { useLoaded } from '../load.ts'
import { asked, setQuery } from '../route.ts'
import { api, seesCompanies } from '../session.ts'
import { ChoiceField } from './forms.tsx'

interface CompanyFilterProps {
  value: string
  /** The choice of no company. */
  none?: string
  label?: string
  onValue(id: string): void
}

const shownMax = 500

const loadCompanies = async (signal: AbortSignal): Promise<Company[]> => {
  if (!seesCompanies()) return []
  const query = { sorting: 'name{asc}', limit: shownMax, total_omit: true }
  return (await api('GET /api/companies', { query, signal })).items
}

/** The companies that the user sees; none before they are known. */
export const useCompanies = (): readonly Company[] => useLoaded(loadCompanies, []).data ?? []

export function CompanyFilter({ value, none = t('All'), label = t('Company'), onValue }: CompanyFilterProps) {
  const companies = useCompanies()
  if (!seesCompanies()) return null
  const options = companies.map(({ company_id, name }) => [company_id, name] as const)
  return <ChoiceField label={label} value={value} options={[['', none], ...options]} onValue={onValue} />
}

/** The company that the address of a list asks for. */
export const CompanyQuery = () => (
  <CompanyFilter value={asked('company') ?? ''} onValue={(company) => setQuery({ company, page: null })} />
)
