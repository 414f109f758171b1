//! A view that reads shortens the references it shows; a view that writes takes those that live as long as the elements.

use tensor::{
    ColMajorView, Result, RowMajorViewMut, TypedTensor, TypedTensorView, TypedTensorViewMut,
};

fn contains<'s>(texts: &TypedTensorView<'s, &'s str>, text: &'s str) -> bool {
    texts.iter().any(|element| *element == text)
}

fn first<'s>(texts: ColMajorView<'s, &'s str, 1>, _other: &'s str) -> &'s str {
    texts[[0]]
}

fn write<'e>(mut to: TypedTensorViewMut<'_, &'e str>, text: &'e str) {
    to.fill(text);
}

fn main() -> Result<()> {
    let texts = TypedTensor::<&'static str>::full([2], "static")?;
    {
        let short = String::from("short");
        assert!(!contains(&texts.as_view()?, &short));
        let ranked = texts.as_view()?.to_rank::<1>()?;
        assert_eq!(first(ranked.col_major_view()?, &short), "static");
        // These elements are as short-lived as the text.
        let mut memory = ["", ""];
        write(TypedTensorViewMut::from_slice([2], &mut memory)?, &short);
        RowMajorViewMut::from_slice([2], &mut memory)?[[1]] = &short[1..];
        assert_eq!(memory, ["short", "hort"]);
    }
    assert_eq!(texts.get(&[1])?, &"static");
    Ok(())
}
