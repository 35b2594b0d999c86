/** Words that tell what a document is, sorted; the most special kinds first. Collected from documents: no list of them is published. */
import type { DocumentKind } from './field.ts'

/** Separated by semicolons. */
export const kindTitles: Readonly<Record<DocumentKind, string>> = {
  driver_licence: `
    Ajokortti; Carta de conducao; Driver licence; Driver license; Drivers licence; Driver's license;
    Driving licence; Forerkort; Fuhrerschein; Korekort; Korkort; Licencia de conducir; Operator license;
    Patente di guida; Permis de conduire; Permiso de conduccion; Prawo jazdy; Ridicsky prukaz; Rijbewijs;
    Surucu belgesi; Vodicsky preukaz; Vozacka dozvola; Водительское удостоверение
  `,
  residence_permit: `
    Aufenthaltserlaubnis; Aufenthaltstitel; Carte de sejour; Karta pobytu; Permanent resident;
    Permesso di soggiorno; Permiso de residencia; Residence permit; Resident permit; Titre de sejour;
    Titulo de residencia; Uppehallstillstand; Verblijfstitel; Вид на жительство
  `,
  id_card: `
    Bilhete de identidade; Carta d'identita; Carta di identita; Cartao de cidadao; Carte de identitate;
    Carte d'identite; Carte nationale; Carte nationale d'identite; Documento nacional de identidad;
    Dowod osobisty; Henkilokortti; ID card; Identification card; Identitatskarte; Identiteitskaart;
    Identity card; Kimlik karti; National identity; Nationellt identitetskort; Obcansky prukaz;
    Obciansky preukaz; Osebna izkaznica; Osobna iskaznica; Personalausweis; Удостоверение личности
  `,
  visa: `
    Visa; Visado; Visto; Visum; Wiza; Виза
  `,
  passport: `
    Cestovni pas; Cestovny pas; Pas; Pasaport; Pasaporte; Pasas; Pase; Paspoort; Pass; Passaporte; Passaporto;
    Passeport; Passi; Passport; Paszport; Potni list; Putovnica; Reisepass; Utlevel; Паспорт
  `,
}
