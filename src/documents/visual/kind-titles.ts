/**
 * Words that tell what a document is, sorted; the most special kinds first. Driving licences: annex I of Directive 2006/126/EC for the
 * European Union, from memory for other states. No list of the others is published: they are collected from documents.
 */
import type { DocumentKind } from './field.ts'

/** Separated by semicolons. */
export const kindTitles: Readonly<Record<DocumentKind, string>> = {
  driver_licence: `
    Ajokortti; Bestuurslisensie; Carta de conducao; Carteira nacional de habilitacao; Ceadunas tiomana;
    Driver licence; Driver license; Driver's licence; Drivers licence; Driver's license; Drivers license;
    Driver's permit; Driving licence; Driving license; Driving permit; Forerkort; Fuhrerausweis; Fuhrerschein;
    Førerkort; Giay phep lai xe; Haydovchilik guvohnomasi; Juhiluba; Korekort; Korkort; Kørekort; Leje drejtimi;
    Lesen memandu; Licencia de conduccion; Licencia de conducir; Licencia de conductor; Licencia de manejo;
    Licencia federal de conductor; Licencia nacional de conducir; Licencia para conducir; Licenza di condurre;
    Licenzja tas-sewqan; Okuskirteini; Operator licence; Operator license; Operator's license; Patente di guida;
    Permis de conducere; Permis de conduire; Permiso de conduccion; Permiso de conducir; Permiso para conducir;
    Permiss da manischar; Prawo jazdy; Ridicsky prukaz; Rijbewijs; Surat izin mengemudi; Surucu belgesi;
    Surucu vesiqesi; Trwydded yrru; Vaditaja aplieciba; Vairuotojo pazymejimas; Vezetoi engedely;
    Vodicsky preukaz; Vozacka dozvola; Voznisko dovoljenje; Αδεια οδηγησης; Вадзіцельскае пасведчанне;
    Водительское удостоверение; Возачка дозвола; Жүргізуші куәлігі; Посвідчення водія;
    Свидетелство за управление на МПС; 机动车驾驶证; 汽車駕駛執照; 運転免許証; 駕駛執照
  `,
  residence_permit: `
    Aufenthaltserlaubnis; Aufenthaltstitel; Autorizacion de residencia; Carte de sejour;
    Dovoljenje za prebivanje; Dozvola boravka; Elamisluba; Karta pobytu; Leidimas gyventi; Oleskelulupa;
    Opholdstilladelse; Oppholdstillatelse; Permanent resident; Permesso di soggiorno; Permis de sedere;
    Permiso de residencia; Povolenie na pobyt; Povoleni k pobytu; Residence permit; Resident permit;
    Tartozkodasi engedely; Titre de sejour; Titulo de residencia; Uppehallstillstand; Uzturesanas atlauja;
    Verblijfstitel; Вид на жительство
  `,
  id_card: `
    Asmens tapatybes kortele; Bilhete de identidade; Carta d'identita; Carta di identita; Cartao de cidadao;
    Carte de identitate; Carte d'identite; Carteira de identidade; Carte nationale; Carte nationale d'identite;
    Cedula de ciudadania; Cedula de identidad; Cedula de identidade; Credencial para votar;
    Documento de identidad; Documento nacional de identidad; Dowod osobisty; Henkilokortti; ID card;
    Identification card; Identitatskarte; Identiteitskaart; Identity card; Isikutunnistus; Kartu tanda penduduk;
    Kimlik karti; Licna karta; National identity; Nationellt identitetskort; Obcansky prukaz; Obciansky preukaz;
    Osebna izkaznica; Osobna iskaznica; Personalausweis; Personas aplieciba; Szemelyazonosito igazolvany;
    Szemelyi igazolvany; Tessera di identita; Лична карта; Посвідчення особи; Удостоверение личности
  `,
  visa: `
    Visa; Visado; Visto; Visum; Wiza; Виза
  `,
  passport: `
    Cestovni pas; Cestovny pas; Pas; Pasaport; Pasaporte; Pasas; Pase; Paspoort; Pass; Passaporte; Passaporto;
    Passeport; Passi; Passport; Paszport; Potni list; Putovnica; Reisepass; Utlevel; Паспорт
  `,
}
