module kille

go 1.19
